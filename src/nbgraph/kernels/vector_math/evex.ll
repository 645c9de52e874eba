; Made by scripts/vector_math_texts.py from nbgraph/kernels/vector_math. Do not edit.
; sources 27d054ae0b1879bb, llvmlite 0.50, fma

declare float @i_fixupimm_float32(float, float) local_unnamed_addr

declare double @i_fixupimm_float64(double, double) local_unnamed_addr

declare float @i_getexp_float32(float) local_unnamed_addr

declare double @i_getexp_float64(double) local_unnamed_addr

declare float @i_getmant_float32(float) local_unnamed_addr

declare double @i_getmant_float64(double) local_unnamed_addr

declare float @i_scalef_float32(float, float) local_unnamed_addr

declare double @i_scalef_float64(double, double) local_unnamed_addr

declare float @llvm.copysign.f32(float, float)

declare double @llvm.copysign.f64(double, double)

declare float @llvm.fabs.f32(float)

declare double @llvm.fabs.f64(double)

declare float @llvm.fma.f32(float, float, float)

declare double @llvm.fma.f64(double, double, double)

declare i1 @llvm.is.fpclass.f32(float, i32 immarg)

declare i1 @llvm.is.fpclass.f64(double, i32 immarg)

declare float @llvm.sqrt.f32(float)

declare double @llvm.sqrt.f64(double)

declare float @llvm.trunc.f32(float)

declare double @llvm.trunc.f64(double)

define internal float @m_acosh_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp ogt float %x, 1.638400e+04
  %v2 = fadd float %x, -1.000000e+00
  %v3 = select i1 %v1, float 1.000000e+00, float %v2
  %v4 = fadd float %v3, %v3
  %v5 = tail call float @llvm.fma.f32(float %v3, float %v3, float %v4)
  %v6 = tail call float @llvm.sqrt.f32(float %v5)
  %v7 = fadd float %v3, %v6
  %v8 = fadd float %v7, 1.000000e+00
  %v9 = fadd float %v8, -1.000000e+00
  %v10 = fsub float %v7, %v9
  %v11 = select i1 %v1, float %x, float %v8
  %v12 = select i1 %v1, float 0.000000e+00, float %v10
  %v13 = tail call float @i_getexp_float32(float %v11)
  %v14 = tail call float @i_getmant_float32(float %v11)
  %v15 = fcmp oge float %v14, 0x3FF6A09E60000000
  %v16 = fadd float %v13, 1.000000e+00
  %v17 = select i1 %v15, float %v16, float %v13
  %v18 = fneg float %v17
  %v19 = tail call float @i_scalef_float32(float %v12, float %v18)
  %v20 = fcmp olt float %x, 1.000000e+00
  %v21 = fcmp one float %x, 0x7FF0000000000000
  %v22 = bitcast float %v14 to i32
  %v23 = add i32 %v22, -8388608
  %v24 = bitcast i32 %v23 to float
  %v25 = select i1 %v15, float %v24, float %v14
  %v26 = fadd float %v25, -1.000000e+00
  %v27 = fmul float %v26, %v26
  %v28 = fsub float %v27, %v26
  %v29 = fadd float %v26, 2.000000e+00
  %v30 = fdiv float %v26, %v29
  %v31 = fmul float %v30, %v30
  %v32 = tail call float @llvm.fma.f32(float %v31, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v33 = tail call float @llvm.fma.f32(float %v32, float %v31, float 0x3FE55557A0000000)
  %v34 = fmul float %v27, 5.000000e-01
  %v35 = tail call float @llvm.fma.f32(float %v31, float %v33, float %v34)
  %v36 = tail call float @llvm.fma.f32(float %v17, float 0x3EB7F7D1C0000000, float %v19)
  %v37 = tail call float @llvm.fma.f32(float %v30, float %v35, float %v36)
  %v38 = tail call float @llvm.fma.f32(float %v19, float %v28, float %v37)
  %v39 = fsub float %v38, %v34
  %v40 = fadd float %v26, %v39
  %v41 = tail call float @llvm.fma.f32(float %v17, float 0x3FE62E4000000000, float %v40)
  %v42 = select i1 %v1, float 0x3FE62E4300000000, float 0.000000e+00
  %v43 = fadd float %v42, %v41
  %v44 = select i1 %v21, float %v43, float %x
  %v45 = select i1 %v20, float 0x7FF8000000000000, float %v44
  ret float %v45
}

define internal double @m_acosh_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp ogt double %x, 0x41B0000000000000
  %v2 = fadd double %x, -1.000000e+00
  %v3 = select i1 %v1, double 1.000000e+00, double %v2
  %v4 = fadd double %v3, %v3
  %v5 = tail call double @llvm.fma.f64(double %v3, double %v3, double %v4)
  %v6 = tail call double @llvm.sqrt.f64(double %v5)
  %v7 = fadd double %v3, %v6
  %v8 = fadd double %v7, 1.000000e+00
  %v9 = fadd double %v8, -1.000000e+00
  %v10 = fsub double %v7, %v9
  %v11 = select i1 %v1, double %x, double %v8
  %v12 = select i1 %v1, double 0.000000e+00, double %v10
  %v13 = tail call double @i_getexp_float64(double %v11)
  %v14 = tail call double @i_getmant_float64(double %v11)
  %v15 = fcmp oge double %v14, 0x3FF6A09E667F3BCD
  %v16 = fadd double %v13, 1.000000e+00
  %v17 = select i1 %v15, double %v16, double %v13
  %v18 = fneg double %v17
  %v19 = tail call double @i_scalef_float64(double %v12, double %v18)
  %v20 = fcmp olt double %x, 1.000000e+00
  %v21 = fcmp one double %x, 0x7FF0000000000000
  %v22 = bitcast double %v14 to i64
  %v23 = add i64 %v22, -4503599627370496
  %v24 = bitcast i64 %v23 to double
  %v25 = select i1 %v15, double %v24, double %v14
  %v26 = fadd double %v25, -1.000000e+00
  %v27 = fmul double %v26, %v26
  %v28 = fsub double %v27, %v26
  %v29 = fadd double %v26, 2.000000e+00
  %v30 = fdiv double %v26, %v29
  %v31 = fmul double %v30, %v30
  %v32 = tail call double @llvm.fma.f64(double %v31, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v33 = tail call double @llvm.fma.f64(double %v32, double %v31, double 0x3FC74664A41971F1)
  %v34 = tail call double @llvm.fma.f64(double %v33, double %v31, double 0x3FCC71C51D57B847)
  %v35 = tail call double @llvm.fma.f64(double %v34, double %v31, double 0x3FD249249422C781)
  %v36 = tail call double @llvm.fma.f64(double %v35, double %v31, double 0x3FD999999997F9E0)
  %v37 = tail call double @llvm.fma.f64(double %v36, double %v31, double 0x3FE5555555555593)
  %v38 = fmul double %v27, 5.000000e-01
  %v39 = tail call double @llvm.fma.f64(double %v31, double %v37, double %v38)
  %v40 = tail call double @llvm.fma.f64(double %v17, double 0xBD48432A1B0E2634, double %v19)
  %v41 = tail call double @llvm.fma.f64(double %v30, double %v39, double %v40)
  %v42 = tail call double @llvm.fma.f64(double %v19, double %v28, double %v41)
  %v43 = fsub double %v42, %v38
  %v44 = fadd double %v26, %v43
  %v45 = tail call double @llvm.fma.f64(double %v17, double 0x3FE62E42FEFA4000, double %v44)
  %v46 = select i1 %v1, double 0x3FE62E42FEFA39EF, double 0.000000e+00
  %v47 = fadd double %v46, %v45
  %v48 = select i1 %v21, double %v47, double %x
  %v49 = select i1 %v20, double 0x7FF8000000000000, double %v48
  ret double %v49
}

define internal float @m_asinh_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp ogt float %v1, 1.638400e+04
  %v3 = select i1 %v2, float 1.000000e+00, float %v1
  %v4 = tail call float @llvm.fma.f32(float %v3, float %v3, float 1.000000e+00)
  %v5 = tail call float @llvm.sqrt.f32(float %v4)
  %v6 = fadd float %v5, 1.000000e+00
  %v7 = fdiv float %v3, %v6
  %v8 = tail call float @llvm.fma.f32(float %v7, float %v3, float %v3)
  %v9 = fadd float %v8, 1.000000e+00
  %v10 = fadd float %v9, -1.000000e+00
  %v11 = fsub float %v8, %v10
  %v12 = select i1 %v2, float %v1, float %v9
  %v13 = select i1 %v2, float 0.000000e+00, float %v11
  %v14 = tail call float @i_getexp_float32(float %v12)
  %v15 = tail call float @i_getmant_float32(float %v12)
  %v16 = fcmp oge float %v15, 0x3FF6A09E60000000
  %v17 = fadd float %v14, 1.000000e+00
  %v18 = select i1 %v16, float %v17, float %v14
  %v19 = fneg float %v18
  %v20 = tail call float @i_scalef_float32(float %v13, float %v19)
  %v21 = fcmp one float %v1, 0x7FF0000000000000
  %v22 = bitcast float %v15 to i32
  %v23 = add i32 %v22, -8388608
  %v24 = bitcast i32 %v23 to float
  %v25 = select i1 %v16, float %v24, float %v15
  %v26 = fadd float %v25, -1.000000e+00
  %v27 = fmul float %v26, %v26
  %v28 = fsub float %v27, %v26
  %v29 = fadd float %v26, 2.000000e+00
  %v30 = fdiv float %v26, %v29
  %v31 = fmul float %v30, %v30
  %v32 = tail call float @llvm.fma.f32(float %v31, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v33 = tail call float @llvm.fma.f32(float %v32, float %v31, float 0x3FE55557A0000000)
  %v34 = fmul float %v27, 5.000000e-01
  %v35 = tail call float @llvm.fma.f32(float %v31, float %v33, float %v34)
  %v36 = tail call float @llvm.fma.f32(float %v18, float 0x3EB7F7D1C0000000, float %v20)
  %v37 = tail call float @llvm.fma.f32(float %v30, float %v35, float %v36)
  %v38 = tail call float @llvm.fma.f32(float %v20, float %v28, float %v37)
  %v39 = fsub float %v38, %v34
  %v40 = fadd float %v26, %v39
  %v41 = tail call float @llvm.fma.f32(float %v18, float 0x3FE62E4000000000, float %v40)
  %v42 = select i1 %v2, float 0x3FE62E4300000000, float 0.000000e+00
  %v43 = fadd float %v42, %v41
  %v44 = select i1 %v21, float %v43, float %v1
  %v45 = tail call float @llvm.copysign.f32(float %v44, float %x)
  ret float %v45
}

define internal double @m_asinh_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp ogt double %v1, 0x41B0000000000000
  %v3 = select i1 %v2, double 1.000000e+00, double %v1
  %v4 = tail call double @llvm.fma.f64(double %v3, double %v3, double 1.000000e+00)
  %v5 = tail call double @llvm.sqrt.f64(double %v4)
  %v6 = fadd double %v5, 1.000000e+00
  %v7 = fdiv double %v3, %v6
  %v8 = tail call double @llvm.fma.f64(double %v7, double %v3, double %v3)
  %v9 = fadd double %v8, 1.000000e+00
  %v10 = fadd double %v9, -1.000000e+00
  %v11 = fsub double %v8, %v10
  %v12 = select i1 %v2, double %v1, double %v9
  %v13 = select i1 %v2, double 0.000000e+00, double %v11
  %v14 = tail call double @i_getexp_float64(double %v12)
  %v15 = tail call double @i_getmant_float64(double %v12)
  %v16 = fcmp oge double %v15, 0x3FF6A09E667F3BCD
  %v17 = fadd double %v14, 1.000000e+00
  %v18 = select i1 %v16, double %v17, double %v14
  %v19 = fneg double %v18
  %v20 = tail call double @i_scalef_float64(double %v13, double %v19)
  %v21 = fcmp one double %v1, 0x7FF0000000000000
  %v22 = bitcast double %v15 to i64
  %v23 = add i64 %v22, -4503599627370496
  %v24 = bitcast i64 %v23 to double
  %v25 = select i1 %v16, double %v24, double %v15
  %v26 = fadd double %v25, -1.000000e+00
  %v27 = fmul double %v26, %v26
  %v28 = fsub double %v27, %v26
  %v29 = fadd double %v26, 2.000000e+00
  %v30 = fdiv double %v26, %v29
  %v31 = fmul double %v30, %v30
  %v32 = tail call double @llvm.fma.f64(double %v31, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v33 = tail call double @llvm.fma.f64(double %v32, double %v31, double 0x3FC74664A41971F1)
  %v34 = tail call double @llvm.fma.f64(double %v33, double %v31, double 0x3FCC71C51D57B847)
  %v35 = tail call double @llvm.fma.f64(double %v34, double %v31, double 0x3FD249249422C781)
  %v36 = tail call double @llvm.fma.f64(double %v35, double %v31, double 0x3FD999999997F9E0)
  %v37 = tail call double @llvm.fma.f64(double %v36, double %v31, double 0x3FE5555555555593)
  %v38 = fmul double %v27, 5.000000e-01
  %v39 = tail call double @llvm.fma.f64(double %v31, double %v37, double %v38)
  %v40 = tail call double @llvm.fma.f64(double %v18, double 0xBD48432A1B0E2634, double %v20)
  %v41 = tail call double @llvm.fma.f64(double %v30, double %v39, double %v40)
  %v42 = tail call double @llvm.fma.f64(double %v20, double %v28, double %v41)
  %v43 = fsub double %v42, %v38
  %v44 = fadd double %v26, %v43
  %v45 = tail call double @llvm.fma.f64(double %v18, double 0x3FE62E42FEFA4000, double %v44)
  %v46 = select i1 %v2, double 0x3FE62E42FEFA39EF, double 0.000000e+00
  %v47 = fadd double %v46, %v45
  %v48 = select i1 %v21, double %v47, double %v1
  %v49 = tail call double @llvm.copysign.f64(double %v48, double %x)
  ret double %v49
}

define internal float @m_atanh_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fadd float %v1, %v1
  %v3 = fsub float 1.000000e+00, %v1
  %v4 = fdiv float %v2, %v3
  %v5 = fadd float %v4, 1.000000e+00
  %v6 = fadd float %v5, -1.000000e+00
  %v7 = fsub float %v4, %v6
  %v8 = tail call float @i_getexp_float32(float %v5)
  %v9 = tail call float @i_getmant_float32(float %v5)
  %v10 = fcmp oge float %v9, 0x3FF6A09E60000000
  %v11 = bitcast float %v9 to i32
  %v12 = add i32 %v11, -8388608
  %v13 = bitcast i32 %v12 to float
  %v14 = fadd float %v8, 1.000000e+00
  %v15 = select i1 %v10, float %v14, float %v8
  %v16 = select i1 %v10, float %v13, float %v9
  %v17 = fadd float %v16, -1.000000e+00
  %v18 = fneg float %v15
  %v19 = tail call float @i_scalef_float32(float %v7, float %v18)
  %v20 = fmul float %v17, %v17
  %v21 = fmul float %v20, 5.000000e-01
  %v22 = fadd float %v17, 2.000000e+00
  %v23 = fdiv float %v17, %v22
  %v24 = fmul float %v23, %v23
  %v25 = tail call float @llvm.fma.f32(float %v24, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v26 = tail call float @llvm.fma.f32(float %v25, float %v24, float 0x3FE55557A0000000)
  %v27 = tail call float @llvm.fma.f32(float %v24, float %v26, float %v21)
  %v28 = tail call float @llvm.fma.f32(float %v15, float 0x3EB7F7D1C0000000, float %v19)
  %v29 = tail call float @llvm.fma.f32(float %v23, float %v27, float %v28)
  %v30 = fsub float %v20, %v17
  %v31 = tail call float @llvm.fma.f32(float %v19, float %v30, float %v29)
  %v32 = fsub float %v31, %v21
  %v33 = fadd float %v17, %v32
  %v34 = tail call float @llvm.fma.f32(float %v15, float 0x3FE62E4000000000, float %v33)
  %v35 = tail call float @i_fixupimm_float32(float %v34, float %v5)
  %v36 = fmul float %v35, 5.000000e-01
  %v37 = tail call float @llvm.copysign.f32(float %v36, float %x)
  ret float %v37
}

define internal double @m_atanh_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fadd double %v1, %v1
  %v3 = fsub double 1.000000e+00, %v1
  %v4 = fdiv double %v2, %v3
  %v5 = fadd double %v4, 1.000000e+00
  %v6 = fadd double %v5, -1.000000e+00
  %v7 = fsub double %v4, %v6
  %v8 = tail call double @i_getexp_float64(double %v5)
  %v9 = tail call double @i_getmant_float64(double %v5)
  %v10 = fcmp oge double %v9, 0x3FF6A09E667F3BCD
  %v11 = bitcast double %v9 to i64
  %v12 = add i64 %v11, -4503599627370496
  %v13 = bitcast i64 %v12 to double
  %v14 = fadd double %v8, 1.000000e+00
  %v15 = select i1 %v10, double %v14, double %v8
  %v16 = select i1 %v10, double %v13, double %v9
  %v17 = fadd double %v16, -1.000000e+00
  %v18 = fneg double %v15
  %v19 = tail call double @i_scalef_float64(double %v7, double %v18)
  %v20 = fmul double %v17, %v17
  %v21 = fmul double %v20, 5.000000e-01
  %v22 = fadd double %v17, 2.000000e+00
  %v23 = fdiv double %v17, %v22
  %v24 = fmul double %v23, %v23
  %v25 = tail call double @llvm.fma.f64(double %v24, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v24, double 0x3FC74664A41971F1)
  %v27 = tail call double @llvm.fma.f64(double %v26, double %v24, double 0x3FCC71C51D57B847)
  %v28 = tail call double @llvm.fma.f64(double %v27, double %v24, double 0x3FD249249422C781)
  %v29 = tail call double @llvm.fma.f64(double %v28, double %v24, double 0x3FD999999997F9E0)
  %v30 = tail call double @llvm.fma.f64(double %v29, double %v24, double 0x3FE5555555555593)
  %v31 = tail call double @llvm.fma.f64(double %v24, double %v30, double %v21)
  %v32 = tail call double @llvm.fma.f64(double %v15, double 0xBD48432A1B0E2634, double %v19)
  %v33 = tail call double @llvm.fma.f64(double %v23, double %v31, double %v32)
  %v34 = fsub double %v20, %v17
  %v35 = tail call double @llvm.fma.f64(double %v19, double %v34, double %v33)
  %v36 = fsub double %v35, %v21
  %v37 = fadd double %v17, %v36
  %v38 = tail call double @llvm.fma.f64(double %v15, double 0x3FE62E42FEFA4000, double %v37)
  %v39 = tail call double @i_fixupimm_float64(double %v38, double %v5)
  %v40 = fmul double %v39, 5.000000e-01
  %v41 = tail call double @llvm.copysign.f64(double %v40, double %x)
  ret double %v41
}

define internal float @m_cbrt_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = tail call float @i_getexp_float32(float %v1)
  %v3 = tail call float @i_getmant_float32(float %v1)
  %v4 = tail call i1 @llvm.is.fpclass.f32(float %x, i32 408)
  %v5 = fcmp oge float %v3, 0x3FF6A09E60000000
  %v6 = bitcast float %v3 to i32
  %v7 = add i32 %v6, -8388608
  %v8 = bitcast i32 %v7 to float
  %v9 = select i1 %v5, float %v8, float %v3
  %v10 = fadd float %v9, -1.000000e+00
  %v11 = tail call float @llvm.fma.f32(float %v10, float 0xBFA3114340000000, float 0x3FB0CF3AA0000000)
  %v12 = tail call float @llvm.fma.f32(float %v11, float %v10, float 0xBFBC9228E0000000)
  %v13 = tail call float @llvm.fma.f32(float %v12, float %v10, float 0x3FD5538BE0000000)
  %v14 = tail call float @llvm.fma.f32(float %v13, float %v10, float 0x3FF0000560000000)
  %v15 = fadd float %v2, 1.000000e+00
  %v16 = select i1 %v5, float %v15, float %v2
  %v17 = tail call float @llvm.fma.f32(float %v16, float 0x3FD5555560000000, float 0x4168000000000000)
  %v18 = fadd float %v17, 0xC168000000000000
  %v19 = tail call float @llvm.fma.f32(float %v18, float -3.000000e+00, float %v16)
  %v20 = fcmp ogt float %v19, 0.000000e+00
  %v21 = fcmp olt float %v19, 0.000000e+00
  %v22 = select i1 %v21, float 0x3FE965FEA0000000, float 1.000000e+00
  %v23 = select i1 %v20, float 0x3FF428A300000000, float %v22
  %v24 = fmul float %v23, %v14
  %v25 = fneg float %v24
  %v26 = fmul float %v24, %v25
  %v27 = fadd float %v10, 1.000000e+00
  %v28 = select i1 %v21, float 5.000000e-01, float 1.000000e+00
  %v29 = select i1 %v20, float 2.000000e+00, float %v28
  %v30 = fmul float %v27, %v29
  %v31 = tail call float @llvm.fma.f32(float %v26, float %v24, float %v30)
  %v32 = tail call float @llvm.fma.f32(float %v24, float %v24, float %v26)
  %v33 = fmul float %v24, %v32
  %v34 = fsub float %v31, %v33
  %v35 = fdiv float %v34, %v30
  %v36 = fmul float %v24, %v35
  %v37 = tail call float @llvm.fma.f32(float %v35, float 0x3FCC71C720000000, float 0x3FD5555560000000)
  %v38 = tail call float @llvm.fma.f32(float %v36, float %v37, float %v24)
  %v39 = bitcast float %v17 to i32
  %v40 = shl i32 %v39, 23
  %v41 = add i32 %v40, 1065353216
  %v42 = bitcast i32 %v41 to float
  %v43 = fmul float %v38, %v42
  %v44 = select i1 %v4, float %v43, float %v1
  %v45 = tail call float @llvm.copysign.f32(float %v44, float %x)
  ret float %v45
}

define internal double @m_cbrt_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = tail call double @i_getexp_float64(double %v1)
  %v3 = tail call double @i_getmant_float64(double %v1)
  %v4 = tail call i1 @llvm.is.fpclass.f64(double %x, i32 408)
  %v5 = fcmp oge double %v3, 0x3FF6A09E667F3BCD
  %v6 = bitcast double %v3 to i64
  %v7 = add i64 %v6, -4503599627370496
  %v8 = bitcast i64 %v7 to double
  %v9 = select i1 %v5, double %v8, double %v3
  %v10 = fadd double %v9, -1.000000e+00
  %v11 = tail call double @llvm.fma.f64(double %v10, double 0xBF8A23F8A4FB1D49, double 0x3F9627852E3BC82E)
  %v12 = tail call double @llvm.fma.f64(double %v11, double %v10, double 0xBF98EC138D6390B3)
  %v13 = tail call double @llvm.fma.f64(double %v12, double %v10, double 0x3F9EBCB48BF4FD11)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v10, double 0xBFA50A7F2D6D379D)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v10, double 0x3FAF9B5DC1143B7C)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v10, double 0xBFBC71D9ED6E94A0)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v10, double 0x3FD55555367E2034)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v10, double 0x3FF0000000E85D0D)
  %v19 = fadd double %v2, 1.000000e+00
  %v20 = select i1 %v5, double %v19, double %v2
  %v21 = tail call double @llvm.fma.f64(double %v20, double 0x3FD5555555555555, double 0x4338000000000000)
  %v22 = fadd double %v21, 0xC338000000000000
  %v23 = tail call double @llvm.fma.f64(double %v22, double -3.000000e+00, double %v20)
  %v24 = fcmp ogt double %v23, 0.000000e+00
  %v25 = fcmp olt double %v23, 0.000000e+00
  %v26 = select i1 %v25, double 0x3FE965FEA53D6E3D, double 1.000000e+00
  %v27 = select i1 %v24, double 0x3FF428A2F98D728B, double %v26
  %v28 = fmul double %v27, %v18
  %v29 = fneg double %v28
  %v30 = fmul double %v28, %v29
  %v31 = fadd double %v10, 1.000000e+00
  %v32 = select i1 %v25, double 5.000000e-01, double 1.000000e+00
  %v33 = select i1 %v24, double 2.000000e+00, double %v32
  %v34 = fmul double %v31, %v33
  %v35 = tail call double @llvm.fma.f64(double %v30, double %v28, double %v34)
  %v36 = tail call double @llvm.fma.f64(double %v28, double %v28, double %v30)
  %v37 = fmul double %v28, %v36
  %v38 = fsub double %v35, %v37
  %v39 = fdiv double %v38, %v34
  %v40 = fmul double %v28, %v39
  %v41 = tail call double @llvm.fma.f64(double %v39, double 0x3FCC71C71C71C71C, double 0x3FD5555555555555)
  %v42 = tail call double @llvm.fma.f64(double %v40, double %v41, double %v28)
  %v43 = bitcast double %v21 to i64
  %v44 = shl i64 %v43, 52
  %v45 = add i64 %v44, 4607182418800017408
  %v46 = bitcast i64 %v45 to double
  %v47 = fmul double %v42, %v46
  %v48 = select i1 %v4, double %v47, double %v1
  %v49 = tail call double @llvm.copysign.f64(double %v48, double %x)
  ret double %v49
}

define internal float @m_cosh_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp ogt float %v1, 9.050000e+01
  %v3 = select i1 %v2, float 9.050000e+01, float %v1
  %v4 = tail call float @llvm.fma.f32(float %v3, float 0x3FF7154760000000, float 0x4168000000000000)
  %v5 = fadd float %v4, 0xC168000000000000
  %v6 = fneg float %v5
  %v7 = tail call float @llvm.fma.f32(float %v6, float 0x3FE62E4000000000, float %v3)
  %v8 = tail call float @llvm.fma.f32(float %v6, float 0x3EB7F7D1C0000000, float %v7)
  %v9 = fmul float %v8, %v8
  %v10 = tail call float @llvm.fma.f32(float %v8, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v11 = tail call float @llvm.fma.f32(float %v10, float %v8, float 0x3FA5555240000000)
  %v12 = tail call float @llvm.fma.f32(float %v11, float %v8, float 0x3FC5554900000000)
  %v13 = tail call float @llvm.fma.f32(float %v12, float %v8, float 5.000000e-01)
  %v14 = tail call float @llvm.fma.f32(float %v9, float %v13, float %v8)
  %v15 = fadd float %v14, 1.000000e+00
  %v16 = fadd float %v4, -1.000000e+00
  %v17 = fadd float %v16, 0xC168000000000000
  %v18 = tail call float @i_scalef_float32(float %v15, float %v17)
  %v19 = fdiv float 2.500000e-01, %v18
  %v20 = fadd float %v18, %v19
  ret float %v20
}

define internal double @m_cosh_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp ogt double %v1, 7.115000e+02
  %v3 = select i1 %v2, double 7.115000e+02, double %v1
  %v4 = tail call double @llvm.fma.f64(double %v3, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v5 = fadd double %v4, 0xC338000000000000
  %v6 = fneg double %v5
  %v7 = tail call double @llvm.fma.f64(double %v6, double 0x3FE62E42FEFA4000, double %v3)
  %v8 = tail call double @llvm.fma.f64(double %v6, double 0xBD48432A1B0E2634, double %v7)
  %v9 = fmul double %v8, %v8
  %v10 = tail call double @llvm.fma.f64(double %v8, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v11 = tail call double @llvm.fma.f64(double %v10, double %v8, double 0x3E927E4DB81FC5C4)
  %v12 = tail call double @llvm.fma.f64(double %v11, double %v8, double 0x3EC71DDED4DF15D0)
  %v13 = tail call double @llvm.fma.f64(double %v12, double %v8, double 0x3EFA01A01A70E1D0)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v8, double 0x3F2A01A01B4A1A68)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v8, double 0x3F56C16C16C1618C)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v8, double 0x3F8111111110E966)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v8, double 0x3FA5555555555556)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v8, double 0x3FC555555555555C)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v8, double 5.000000e-01)
  %v20 = tail call double @llvm.fma.f64(double %v9, double %v19, double %v8)
  %v21 = fadd double %v20, 1.000000e+00
  %v22 = fadd double %v4, -1.000000e+00
  %v23 = fadd double %v22, 0xC338000000000000
  %v24 = tail call double @i_scalef_float64(double %v21, double %v23)
  %v25 = fdiv double 2.500000e-01, %v24
  %v26 = fadd double %v24, %v25
  ret double %v26
}

define internal float @m_erfc_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp ogt float %v1, 0x4024333340000000
  %v3 = select i1 %v2, float 0x4024333340000000, float %v1
  %v4 = fneg float %v3
  %v5 = fmul float %v3, %v4
  %v6 = tail call float @llvm.fma.f32(float %v5, float 0x3FF7154760000000, float 0x4168000000000000)
  %v7 = fadd float %v6, 0xC168000000000000
  %v8 = fneg float %v7
  %v9 = tail call float @llvm.fma.f32(float %v8, float 0x3FE62E4000000000, float %v5)
  %v10 = tail call float @llvm.fma.f32(float %v8, float 0x3EB7F7D1C0000000, float %v9)
  %v11 = fmul float %v10, %v10
  %v12 = tail call float @llvm.fma.f32(float %v10, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v13 = tail call float @llvm.fma.f32(float %v12, float %v10, float 0x3FA5555240000000)
  %v14 = tail call float @llvm.fma.f32(float %v13, float %v10, float 0x3FC5554900000000)
  %v15 = tail call float @llvm.fma.f32(float %v14, float %v10, float 5.000000e-01)
  %v16 = tail call float @llvm.fma.f32(float %v11, float %v15, float %v10)
  %v17 = tail call float @llvm.fma.f32(float %v3, float %v3, float %v5)
  %v18 = fneg float %v17
  %v19 = fadd float %v16, 1.000000e+00
  %v20 = tail call float @llvm.fma.f32(float %v18, float %v19, float %v16)
  %v21 = fadd float %v3, -2.000000e+00
  %v22 = fadd float %v3, 2.000000e+00
  %v23 = fdiv float %v21, %v22
  %v24 = tail call float @llvm.fma.f32(float %v23, float 0xBF2FFF62E0000000, float 0xBF5503CFA0000000)
  %v25 = tail call float @llvm.fma.f32(float %v24, float %v23, float 0x3F53284A00000000)
  %v26 = tail call float @llvm.fma.f32(float %v25, float %v23, float 0x3F81C3E9E0000000)
  %v27 = tail call float @llvm.fma.f32(float %v26, float %v23, float 0xBF806A2100000000)
  %v28 = tail call float @llvm.fma.f32(float %v27, float %v23, float 0xBFABC22A00000000)
  %v29 = tail call float @llvm.fma.f32(float %v28, float %v23, float 0x3FC4FF9880000000)
  %v30 = tail call float @llvm.fma.f32(float %v29, float %v23, float 0xBFC5407BA0000000)
  %v31 = tail call float @llvm.fma.f32(float %v30, float %v23, float 0xBFB7BF5EC0000000)
  %v32 = tail call float @llvm.fma.f32(float %v23, float %v31, float 0x3FF46E80E0000000)
  %v33 = fsub float 0x3FF46E80E0000000, %v32
  %v34 = tail call float @llvm.fma.f32(float %v23, float %v31, float %v33)
  %v35 = tail call float @llvm.fma.f32(float %v3, float 2.000000e+00, float 1.000000e+00)
  %v36 = fdiv float 1.000000e+00, %v35
  %v37 = fmul float %v36, %v32
  %v38 = fneg float %v37
  %v39 = fsub float 1.000000e+00, %v35
  %v40 = tail call float @llvm.fma.f32(float %v3, float 2.000000e+00, float %v39)
  %v41 = tail call float @llvm.fma.f32(float %v38, float %v35, float %v32)
  %v42 = tail call float @llvm.fma.f32(float %v38, float %v40, float %v41)
  %v43 = fadd float %v34, %v42
  %v44 = fmul float %v36, %v43
  %v45 = tail call float @llvm.fma.f32(float %v44, float %v20, float %v44)
  %v46 = tail call float @llvm.fma.f32(float %v37, float %v20, float %v45)
  %v47 = fadd float %v37, %v46
  %v48 = tail call float @i_scalef_float32(float %v47, float %v7)
  %v49 = fcmp ogt float %v1, 5.000000e-01
  %v50 = fcmp olt float %x, 0.000000e+00
  %v51 = fsub float 2.000000e+00, %v48
  %v52 = select i1 %v50, float %v51, float %v48
  %v53 = fmul float %x, %x
  %v54 = select i1 %v49, float 5.000000e-01, float %v53
  %v55 = tail call float @llvm.fma.f32(float %v54, float 0x3F14C32F00000000, float 0xBF4A50AB20000000)
  %v56 = tail call float @llvm.fma.f32(float %v55, float %v54, float 0x3F7542E080000000)
  %v57 = tail call float @llvm.fma.f32(float %v56, float %v54, float 0xBF9B7FE900000000)
  %v58 = tail call float @llvm.fma.f32(float %v57, float %v54, float 0x3FBCE2D500000000)
  %v59 = tail call float @llvm.fma.f32(float %v58, float %v54, float 0xBFD8127400000000)
  %v60 = tail call float @llvm.fma.f32(float %v59, float %v54, float 0x3FC06EBA80000000)
  %v61 = tail call float @llvm.fma.f32(float %x, float %v60, float %x)
  %v62 = fsub float 1.000000e+00, %v61
  %v63 = select i1 %v49, float %v52, float %v62
  ret float %v63
}

define internal double @m_erfc_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp ogt double %v1, 2.730000e+01
  %v3 = select i1 %v2, double 2.730000e+01, double %v1
  %v4 = fneg double %v3
  %v5 = fmul double %v3, %v4
  %v6 = tail call double @llvm.fma.f64(double %v5, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v7 = fadd double %v6, 0xC338000000000000
  %v8 = fneg double %v7
  %v9 = tail call double @llvm.fma.f64(double %v8, double 0x3FE62E42FEFA4000, double %v5)
  %v10 = tail call double @llvm.fma.f64(double %v8, double 0xBD48432A1B0E2634, double %v9)
  %v11 = fmul double %v10, %v10
  %v12 = tail call double @llvm.fma.f64(double %v10, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v13 = tail call double @llvm.fma.f64(double %v12, double %v10, double 0x3E927E4DB81FC5C4)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v10, double 0x3EC71DDED4DF15D0)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v10, double 0x3EFA01A01A70E1D0)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v10, double 0x3F2A01A01B4A1A68)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v10, double 0x3F56C16C16C1618C)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v10, double 0x3F8111111110E966)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v10, double 0x3FA5555555555556)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v10, double 0x3FC555555555555C)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v10, double 5.000000e-01)
  %v22 = tail call double @llvm.fma.f64(double %v11, double %v21, double %v10)
  %v23 = tail call double @llvm.fma.f64(double %v3, double %v3, double %v5)
  %v24 = fneg double %v23
  %v25 = fadd double %v22, 1.000000e+00
  %v26 = tail call double @llvm.fma.f64(double %v24, double %v25, double %v22)
  %v27 = fadd double %v3, -2.500000e+00
  %v28 = fadd double %v3, 2.500000e+00
  %v29 = fdiv double %v27, %v28
  %v30 = tail call double @llvm.fma.f64(double %v29, double 0x3E511C39BD1215DD, double 0x3E01F6FDBADB47CE)
  %v31 = tail call double @llvm.fma.f64(double %v30, double %v29, double 0xBE82E44E20822848)
  %v32 = tail call double @llvm.fma.f64(double %v31, double %v29, double 0xBE5F87EE72410AC4)
  %v33 = tail call double @llvm.fma.f64(double %v32, double %v29, double 0x3EA34422139F8E18)
  %v34 = tail call double @llvm.fma.f64(double %v33, double %v29, double 0x3EA34E8C8488751B)
  %v35 = tail call double @llvm.fma.f64(double %v34, double %v29, double 0xBEBB49D98B10C286)
  %v36 = tail call double @llvm.fma.f64(double %v35, double %v29, double 0xBED1C7EA6F6B4A8B)
  %v37 = tail call double @llvm.fma.f64(double %v36, double %v29, double 0x3EC613A6B257EA77)
  %v38 = tail call double @llvm.fma.f64(double %v37, double %v29, double 0x3EF7CEE805268EC5)
  %v39 = tail call double @llvm.fma.f64(double %v38, double %v29, double 0x3EDA3FE0D40B3991)
  %v40 = tail call double @llvm.fma.f64(double %v39, double %v29, double 0xBF1DC26A50C82421)
  %v41 = tail call double @llvm.fma.f64(double %v40, double %v29, double 0xBF1731A24DC24A23)
  %v42 = tail call double @llvm.fma.f64(double %v41, double %v29, double 0x3F44B6A4D57065E1)
  %v43 = tail call double @llvm.fma.f64(double %v42, double %v29, double 0x3F401E1159D16370)
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v29, double 0xBF71F2F132A926D7)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v29, double 0x3F4E89489E99C6B6)
  %v46 = tail call double @llvm.fma.f64(double %v45, double %v29, double 0x3FA0C6092A5A2A43)
  %v47 = tail call double @llvm.fma.f64(double %v46, double %v29, double 0xBFBA5C0C8A40E847)
  %v48 = tail call double @llvm.fma.f64(double %v47, double %v29, double 0x3FC42D379989B660)
  %v49 = tail call double @llvm.fma.f64(double %v48, double %v29, double 0xBFB959AC16F85498)
  %v50 = tail call double @llvm.fma.f64(double %v49, double %v29, double 0xBFBF52C5D7E22305)
  %v51 = tail call double @llvm.fma.f64(double %v29, double %v50, double 0x3FF43CC6F6C9672C)
  %v52 = fsub double 0x3FF43CC6F6C9672C, %v51
  %v53 = tail call double @llvm.fma.f64(double %v29, double %v50, double %v52)
  %v54 = tail call double @llvm.fma.f64(double %v3, double 2.000000e+00, double 1.000000e+00)
  %v55 = fdiv double 1.000000e+00, %v54
  %v56 = fmul double %v55, %v51
  %v57 = fneg double %v56
  %v58 = fsub double 1.000000e+00, %v54
  %v59 = tail call double @llvm.fma.f64(double %v3, double 2.000000e+00, double %v58)
  %v60 = tail call double @llvm.fma.f64(double %v57, double %v54, double %v51)
  %v61 = tail call double @llvm.fma.f64(double %v57, double %v59, double %v60)
  %v62 = fadd double %v53, %v61
  %v63 = fmul double %v55, %v62
  %v64 = tail call double @llvm.fma.f64(double %v63, double %v26, double %v63)
  %v65 = tail call double @llvm.fma.f64(double %v56, double %v26, double %v64)
  %v66 = fadd double %v56, %v65
  %v67 = tail call double @i_scalef_float64(double %v66, double %v7)
  %v68 = fcmp ogt double %v1, 5.000000e-01
  %v69 = fcmp olt double %x, 0.000000e+00
  %v70 = fsub double 2.000000e+00, %v67
  %v71 = select i1 %v69, double %v70, double %v67
  %v72 = fmul double %x, %x
  %v73 = select i1 %v68, double 5.000000e-01, double %v72
  %v74 = tail call double @llvm.fma.f64(double %v73, double 0x3DE67FDAC649072E, double 0xBE1E473542F1C4A2)
  %v75 = tail call double @llvm.fma.f64(double %v74, double %v73, double 0x3E5180FAB209FF06)
  %v76 = tail call double @llvm.fma.f64(double %v75, double %v73, double 0xBE86470CDBDC7AC5)
  %v77 = tail call double @llvm.fma.f64(double %v76, double %v73, double 0x3EBBA820C20548F9)
  %v78 = tail call double @llvm.fma.f64(double %v77, double %v73, double 0xBEEF4DEC21BBB2DA)
  %v79 = tail call double @llvm.fma.f64(double %v78, double %v73, double 0x3F1F9A3CF7FBBD65)
  %v80 = tail call double @llvm.fma.f64(double %v79, double %v73, double 0xBF4C02DB9E140188)
  %v81 = tail call double @llvm.fma.f64(double %v80, double %v73, double 0x3F7565BCD2FA7E51)
  %v82 = tail call double @llvm.fma.f64(double %v81, double %v73, double 0xBF9B82CE313664E0)
  %v83 = tail call double @llvm.fma.f64(double %v82, double %v73, double 0x3FBCE2F21A045B8E)
  %v84 = tail call double @llvm.fma.f64(double %v83, double %v73, double 0xBFD812746B037A27)
  %v85 = tail call double @llvm.fma.f64(double %v84, double %v73, double 0x3FC06EBA8214DB69)
  %v86 = tail call double @llvm.fma.f64(double %x, double %v85, double %x)
  %v87 = fsub double 1.000000e+00, %v86
  %v88 = select i1 %v68, double %v71, double %v87
  ret double %v88
}

define internal float @m_erfinv_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fneg float %v1
  %v3 = tail call float @llvm.fma.f32(float %v2, float %v1, float 1.000000e+00)
  %v4 = tail call float @i_getexp_float32(float %v3)
  %v5 = tail call float @i_getmant_float32(float %v3)
  %v6 = fcmp oge float %v5, 0x3FF6A09E60000000
  %v7 = fadd float %v4, 1.000000e+00
  %v8 = select i1 %v6, float %v7, float %v4
  %v9 = bitcast float %v5 to i32
  %v10 = add i32 %v9, -8388608
  %v11 = bitcast i32 %v10 to float
  %v12 = select i1 %v6, float %v11, float %v5
  %v13 = fadd float %v12, -1.000000e+00
  %v14 = fadd float %v13, 2.000000e+00
  %v15 = fdiv float %v13, %v14
  %v16 = fmul float %v15, %v15
  %v17 = tail call float @llvm.fma.f32(float %v16, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v18 = tail call float @llvm.fma.f32(float %v17, float %v16, float 0x3FE55557A0000000)
  %v19 = fmul float %v13, %v13
  %v20 = fmul float %v19, 5.000000e-01
  %v21 = tail call float @llvm.fma.f32(float %v16, float %v18, float %v20)
  %v22 = fmul float %v8, 0x3EB7F7D1C0000000
  %v23 = tail call float @llvm.fma.f32(float %v15, float %v21, float %v22)
  %v24 = fsub float %v23, %v20
  %v25 = fadd float %v13, %v24
  %v26 = tail call float @llvm.fma.f32(float %v8, float 0x3FE62E4000000000, float %v25)
  %v27 = fcmp olt float %v26, -5.000000e+00
  %v28 = fneg float %v26
  %v29 = tail call float @llvm.sqrt.f32(float %v28)
  %v30 = fcmp ogt float %v29, 7.000000e+00
  %v31 = select i1 %v30, float 7.000000e+00, float %v29
  %v32 = fadd float %v31, -3.750000e+00
  %v33 = fadd float %v31, 2.000000e+00
  %v34 = fdiv float %v32, %v33
  %v35 = tail call float @llvm.fma.f32(float %v34, float 0xBF72870480000000, float 0xBFB7CBD600000000)
  %v36 = tail call float @llvm.fma.f32(float %v35, float %v34, float 0xBFA78806C0000000)
  %v37 = tail call float @llvm.fma.f32(float %v36, float %v34, float 0x3FA01BD2A0000000)
  %v38 = tail call float @llvm.fma.f32(float %v37, float %v34, float 0xBF9F2B3CA0000000)
  %v39 = tail call float @llvm.fma.f32(float %v38, float %v34, float 0xBF99533C60000000)
  %v40 = tail call float @llvm.fma.f32(float %v39, float %v34, float 0x3FB46B7720000000)
  %v41 = tail call float @llvm.fma.f32(float %v40, float %v34, float 0xBFA62FB080000000)
  %v42 = tail call float @llvm.fma.f32(float %v31, float %v41, float %v29)
  %v43 = fsub float -2.500000e+00, %v26
  %v44 = tail call float @llvm.fma.f32(float %v43, float 0xBE42E0CE80000000, float 0x3E58F23AE0000000)
  %v45 = tail call float @llvm.fma.f32(float %v44, float %v43, float 0x3E9F48B1C0000000)
  %v46 = tail call float @llvm.fma.f32(float %v45, float %v43, float 0xBECD0C1C80000000)
  %v47 = tail call float @llvm.fma.f32(float %v46, float %v43, float 0xBED4D15680000000)
  %v48 = tail call float @llvm.fma.f32(float %v47, float %v43, float 0x3F2C9E6CA0000000)
  %v49 = tail call float @llvm.fma.f32(float %v48, float %v43, float 0xBF54866160000000)
  %v50 = tail call float @llvm.fma.f32(float %v49, float %v43, float 0xBF711C4EC0000000)
  %v51 = tail call float @llvm.fma.f32(float %v50, float %v43, float 0x3FCF91E8A0000000)
  %v52 = tail call float @llvm.fma.f32(float %v51, float %v43, float 0x3FE00B8BA0000000)
  %v53 = tail call float @llvm.fma.f32(float %v1, float %v52, float %v1)
  %v54 = select i1 %v27, float %v42, float %v53
  %v55 = tail call float @llvm.copysign.f32(float %v54, float %x)
  ret float %v55
}

define internal double @m_erfinv_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fneg double %v1
  %v3 = tail call double @llvm.fma.f64(double %v2, double %v1, double 1.000000e+00)
  %v4 = tail call double @i_getexp_float64(double %v3)
  %v5 = tail call double @i_getmant_float64(double %v3)
  %v6 = fcmp oge double %v5, 0x3FF6A09E667F3BCD
  %v7 = bitcast double %v5 to i64
  %v8 = add i64 %v7, -4503599627370496
  %v9 = bitcast i64 %v8 to double
  %v10 = fadd double %v4, 1.000000e+00
  %v11 = select i1 %v6, double %v10, double %v4
  %v12 = select i1 %v6, double %v9, double %v5
  %v13 = fadd double %v12, -1.000000e+00
  %v14 = fmul double %v13, %v13
  %v15 = fmul double %v14, 5.000000e-01
  %v16 = fadd double %v13, 2.000000e+00
  %v17 = fdiv double %v13, %v16
  %v18 = fmul double %v17, %v17
  %v19 = tail call double @llvm.fma.f64(double %v18, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v18, double 0x3FC74664A41971F1)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v18, double 0x3FCC71C51D57B847)
  %v22 = tail call double @llvm.fma.f64(double %v21, double %v18, double 0x3FD249249422C781)
  %v23 = tail call double @llvm.fma.f64(double %v22, double %v18, double 0x3FD999999997F9E0)
  %v24 = tail call double @llvm.fma.f64(double %v23, double %v18, double 0x3FE5555555555593)
  %v25 = tail call double @llvm.fma.f64(double %v18, double %v24, double %v15)
  %v26 = fmul double %v11, 0xBD48432A1B0E2634
  %v27 = tail call double @llvm.fma.f64(double %v17, double %v25, double %v26)
  %v28 = fsub double %v27, %v15
  %v29 = fadd double %v13, %v28
  %v30 = tail call double @llvm.fma.f64(double %v11, double 0x3FE62E42FEFA4000, double %v29)
  %v31 = tail call double @i_fixupimm_float64(double %v30, double %v3)
  %v32 = fcmp olt double %v31, -6.250000e+00
  %v33 = fneg double %v31
  %v34 = tail call double @llvm.sqrt.f64(double %v33)
  %v35 = fcmp ogt double %v34, 7.000000e+00
  %v36 = select i1 %v35, double 7.000000e+00, double %v34
  %v37 = fadd double %v36, -3.750000e+00
  %v38 = fadd double %v36, 2.000000e+00
  %v39 = fdiv double %v37, %v38
  %v40 = tail call double @llvm.fma.f64(double %v39, double 0x403DA7C0962DA322, double 0x406253F48F8F84CC)
  %v41 = tail call double @llvm.fma.f64(double %v40, double %v39, double 0xC02A8F29D4646258)
  %v42 = tail call double @llvm.fma.f64(double %v41, double %v39, double 0xC05AC039C651B35C)
  %v43 = tail call double @llvm.fma.f64(double %v42, double %v39, double 0x3FE9E0E6FCBC34BC)
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v39, double 0x4045983134678320)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v39, double 0xBFA52D00BECEBA09)
  %v46 = tail call double @llvm.fma.f64(double %v45, double %v39, double 0xC02B3BDB98E772E6)
  %v47 = tail call double @llvm.fma.f64(double %v46, double %v39, double 0x3FEE7C2E2DB88C83)
  %v48 = tail call double @llvm.fma.f64(double %v47, double %v39, double 0x400D7EEDC8CBAB47)
  %v49 = tail call double @llvm.fma.f64(double %v48, double %v39, double 0xBFEC2275F02622D3)
  %v50 = tail call double @llvm.fma.f64(double %v49, double %v39, double 0xBFE817D7C4C2836B)
  %v51 = tail call double @llvm.fma.f64(double %v50, double %v39, double 0x3FDC2CFA970EF1C3)
  %v52 = tail call double @llvm.fma.f64(double %v51, double %v39, double 0x3F9B4833976FE8D5)
  %v53 = tail call double @llvm.fma.f64(double %v52, double %v39, double 0xBFBF883230F41C50)
  %v54 = tail call double @llvm.fma.f64(double %v53, double %v39, double 0x3FB07B86A59881D3)
  %v55 = tail call double @llvm.fma.f64(double %v54, double %v39, double 0xBF84C3A6658F9A60)
  %v56 = tail call double @llvm.fma.f64(double %v55, double %v39, double 0xBF94A97DF7C31FBD)
  %v57 = tail call double @llvm.fma.f64(double %v56, double %v39, double 0x3FA1CB98D32E7395)
  %v58 = tail call double @llvm.fma.f64(double %v57, double %v39, double 0xBF9F0A1A841E3675)
  %v59 = tail call double @llvm.fma.f64(double %v58, double %v39, double 0xBF995499551B1506)
  %v60 = tail call double @llvm.fma.f64(double %v59, double %v39, double 0x3FB46B72BAFB10F7)
  %v61 = tail call double @llvm.fma.f64(double %v60, double %v39, double 0xBFA62FB07503CAB3)
  %v62 = tail call double @llvm.fma.f64(double %v36, double %v61, double %v34)
  %v63 = fsub double -3.125000e+00, %v31
  %v64 = tail call double @llvm.fma.f64(double %v63, double 0xBB76ADC395381914, double 0x3BAE67F9BFE638B4)
  %v65 = tail call double @llvm.fma.f64(double %v64, double %v63, double 0x3BD3868255A0DABE)
  %v66 = tail call double @llvm.fma.f64(double %v65, double %v63, double 0xBC19BBFD6D86AB1F)
  %v67 = tail call double @llvm.fma.f64(double %v66, double %v63, double 0x3C29AA87CB068EB0)
  %v68 = tail call double @llvm.fma.f64(double %v67, double %v63, double 0x3C71EC22D788B004)
  %v69 = tail call double @llvm.fma.f64(double %v68, double %v63, double 0xBCA1CA76F5A2F3BB)
  %v70 = tail call double @llvm.fma.f64(double %v69, double %v63, double 0xBC86FCF9E88B7CEE)
  %v71 = tail call double @llvm.fma.f64(double %v70, double %v63, double 0x3CFD6C6F08370B40)
  %v72 = tail call double @llvm.fma.f64(double %v71, double %v63, double 0xBD2686E5FE4DF756)
  %v73 = tail call double @llvm.fma.f64(double %v72, double %v63, double 0xBD36BDBE9A3B4ACF)
  %v74 = tail call double @llvm.fma.f64(double %v73, double %v63, double 0x3D87235DFEAAC458)
  %v75 = tail call double @llvm.fma.f64(double %v74, double %v63, double 0xBDAC8A3F8F4819AA)
  %v76 = tail call double @llvm.fma.f64(double %v75, double %v63, double 0xBDCDC3F138246CB4)
  %v77 = tail call double @llvm.fma.f64(double %v76, double %v63, double 0x3E120F5363D677EA)
  %v78 = tail call double @llvm.fma.f64(double %v77, double %v63, double 0xBE31A9EB0F06F264)
  %v79 = tail call double @llvm.fma.f64(double %v78, double %v63, double 0xBE5F36CED466EA96)
  %v80 = tail call double @llvm.fma.f64(double %v79, double %v63, double 0x3E9C6B4F88BEF332)
  %v81 = tail call double @llvm.fma.f64(double %v80, double %v63, double 0xBEB6E8A53CDE9A3D)
  %v82 = tail call double @llvm.fma.f64(double %v81, double %v63, double 0xBEED1D1F7CA2238E)
  %v83 = tail call double @llvm.fma.f64(double %v82, double %v63, double 0x3F2879C2A20B529A)
  %v84 = tail call double @llvm.fma.f64(double %v83, double %v63, double 0xBF484576948356A9)
  %v85 = tail call double @llvm.fma.f64(double %v84, double %v63, double 0xBF78B6C33114EAD6)
  %v86 = tail call double @llvm.fma.f64(double %v85, double %v63, double 0x3FCEBD80D9B13DFA)
  %v87 = tail call double @llvm.fma.f64(double %v86, double %v63, double 0x3FE4EABCF9335D0C)
  %v88 = tail call double @llvm.fma.f64(double %v1, double %v87, double %v1)
  %v89 = select i1 %v32, double %v62, double %v88
  %v90 = tail call double @llvm.copysign.f64(double %v89, double %x)
  ret double %v90
}

define internal float @m_exp2_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt float %x, -1.510000e+02
  %v2 = select i1 %v1, float -1.510000e+02, float %x
  %v3 = fcmp ogt float %v2, 1.290000e+02
  %v4 = select i1 %v3, float 1.290000e+02, float %v2
  %v5 = fadd float %v4, 0x4168000000000000
  %v6 = fadd float %v5, 0xC168000000000000
  %v7 = fsub float %v4, %v6
  %v8 = tail call float @llvm.fma.f32(float %v7, float 0x3F243F6CA0000000, float 0x3F55F17420000000)
  %v9 = tail call float @llvm.fma.f32(float %v8, float %v7, float 0x3F83B2A7A0000000)
  %v10 = tail call float @llvm.fma.f32(float %v9, float %v7, float 0x3FAC6AF780000000)
  %v11 = tail call float @llvm.fma.f32(float %v10, float %v7, float 0x3FCEBFBE00000000)
  %v12 = tail call float @llvm.fma.f32(float %v11, float %v7, float 0x3FE62E4300000000)
  %v13 = tail call float @llvm.fma.f32(float %v7, float %v12, float 1.000000e+00)
  %v14 = tail call float @i_scalef_float32(float %v13, float %v6)
  ret float %v14
}

define internal double @m_exp2_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt double %x, -1.076000e+03
  %v2 = select i1 %v1, double -1.076000e+03, double %x
  %v3 = fcmp ogt double %v2, 1.025000e+03
  %v4 = select i1 %v3, double 1.025000e+03, double %v2
  %v5 = fadd double %v4, 0x4338000000000000
  %v6 = fadd double %v5, 0xC338000000000000
  %v7 = fsub double %v4, %v6
  %v8 = tail call double @llvm.fma.f64(double %v7, double 0x3DBC2BA7C91137C1, double 0x3DFEC7CF05DAD1C8)
  %v9 = tail call double @llvm.fma.f64(double %v8, double %v7, double 0x3E3E4D10483894EA)
  %v10 = tail call double @llvm.fma.f64(double %v9, double %v7, double 0x3E7B5232962D0D8F)
  %v11 = tail call double @llvm.fma.f64(double %v10, double %v7, double 0x3EB62C021851E7C5)
  %v12 = tail call double @llvm.fma.f64(double %v11, double %v7, double 0x3EEFFCBFD4D8B54A)
  %v13 = tail call double @llvm.fma.f64(double %v12, double %v7, double 0x3F2430912F8AC5CD)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v7, double 0x3F55D87FE7873935)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v7, double 0x3F83B2AB6FBA4D4E)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v7, double 0x3FAC6B08D704A1D5)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v7, double 0x3FCEBFBDFF82C58F)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v7, double 0x3FE62E42FEFA39EF)
  %v19 = tail call double @llvm.fma.f64(double %v7, double %v18, double 1.000000e+00)
  %v20 = tail call double @i_scalef_float64(double %v19, double %v6)
  ret double %v20
}

define internal float @m_exp_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt float %x, -1.045000e+02
  %v2 = select i1 %v1, float -1.045000e+02, float %x
  %v3 = fcmp ogt float %v2, 8.950000e+01
  %v4 = select i1 %v3, float 8.950000e+01, float %v2
  %v5 = tail call float @llvm.fma.f32(float %v4, float 0x3FF7154760000000, float 0x4168000000000000)
  %v6 = fadd float %v5, 0xC168000000000000
  %v7 = fneg float %v6
  %v8 = tail call float @llvm.fma.f32(float %v7, float 0x3FE62E4000000000, float %v4)
  %v9 = tail call float @llvm.fma.f32(float %v7, float 0x3EB7F7D1C0000000, float %v8)
  %v10 = fmul float %v9, %v9
  %v11 = tail call float @llvm.fma.f32(float %v9, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v12 = tail call float @llvm.fma.f32(float %v11, float %v9, float 0x3FA5555240000000)
  %v13 = tail call float @llvm.fma.f32(float %v12, float %v9, float 0x3FC5554900000000)
  %v14 = tail call float @llvm.fma.f32(float %v13, float %v9, float 5.000000e-01)
  %v15 = tail call float @llvm.fma.f32(float %v10, float %v14, float %v9)
  %v16 = fadd float %v15, 1.000000e+00
  %v17 = tail call float @i_scalef_float32(float %v16, float %v6)
  ret float %v17
}

define internal double @m_exp_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt double %x, -7.460000e+02
  %v2 = select i1 %v1, double -7.460000e+02, double %x
  %v3 = fcmp ogt double %v2, 7.105000e+02
  %v4 = select i1 %v3, double 7.105000e+02, double %v2
  %v5 = tail call double @llvm.fma.f64(double %v4, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v6 = fadd double %v5, 0xC338000000000000
  %v7 = fneg double %v6
  %v8 = tail call double @llvm.fma.f64(double %v7, double 0x3FE62E42FEFA4000, double %v4)
  %v9 = tail call double @llvm.fma.f64(double %v7, double 0xBD48432A1B0E2634, double %v8)
  %v10 = fmul double %v9, %v9
  %v11 = tail call double @llvm.fma.f64(double %v9, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v12 = tail call double @llvm.fma.f64(double %v11, double %v9, double 0x3E927E4DB81FC5C4)
  %v13 = tail call double @llvm.fma.f64(double %v12, double %v9, double 0x3EC71DDED4DF15D0)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v9, double 0x3EFA01A01A70E1D0)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v9, double 0x3F2A01A01B4A1A68)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v9, double 0x3F56C16C16C1618C)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v9, double 0x3F8111111110E966)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v9, double 0x3FA5555555555556)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v9, double 0x3FC555555555555C)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v9, double 5.000000e-01)
  %v21 = tail call double @llvm.fma.f64(double %v10, double %v20, double %v9)
  %v22 = fadd double %v21, 1.000000e+00
  %v23 = tail call double @i_scalef_float64(double %v22, double %v6)
  ret double %v23
}

define internal float @m_log10_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @i_getexp_float32(float %x)
  %v2 = tail call float @i_getmant_float32(float %x)
  %v3 = fcmp oge float %v2, 0x3FF6A09E60000000
  %v4 = bitcast float %v2 to i32
  %v5 = add i32 %v4, -8388608
  %v6 = bitcast i32 %v5 to float
  %v7 = fadd float %v1, 1.000000e+00
  %v8 = select i1 %v3, float %v7, float %v1
  %v9 = select i1 %v3, float %v6, float %v2
  %v10 = fadd float %v9, -1.000000e+00
  %v11 = fmul float %v10, %v10
  %v12 = fmul float %v11, 5.000000e-01
  %v13 = fadd float %v10, 2.000000e+00
  %v14 = fdiv float %v10, %v13
  %v15 = fmul float %v14, %v14
  %v16 = tail call float @llvm.fma.f32(float %v15, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v17 = tail call float @llvm.fma.f32(float %v16, float %v15, float 0x3FE55557A0000000)
  %v18 = tail call float @llvm.fma.f32(float %v15, float %v17, float %v12)
  %v19 = fneg float %v12
  %v20 = tail call float @llvm.fma.f32(float %v14, float %v18, float %v19)
  %v21 = fmul float %v10, 0x3FDBCB7B20000000
  %v22 = fneg float %v21
  %v23 = tail call float @llvm.fma.f32(float %v10, float 0x3FDBCB7B20000000, float %v22)
  %v24 = tail call float @llvm.fma.f32(float %v10, float 0xBE45B235E0000000, float %v23)
  %v25 = tail call float @llvm.fma.f32(float %v20, float 0x3FDBCB7B20000000, float %v24)
  %v26 = fmul float %v8, 0x3FD3440000000000
  %v27 = fadd float %v26, %v21
  %v28 = fsub float %v27, %v26
  %v29 = fsub float %v21, %v28
  %v30 = fadd float %v29, %v25
  %v31 = tail call float @llvm.fma.f32(float %v8, float 0x3ED3509F80000000, float %v30)
  %v32 = fadd float %v27, %v31
  %v33 = tail call float @i_fixupimm_float32(float %v32, float %x)
  ret float %v33
}

define internal double @m_log10_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @i_getexp_float64(double %x)
  %v2 = tail call double @i_getmant_float64(double %x)
  %v3 = fcmp oge double %v2, 0x3FF6A09E667F3BCD
  %v4 = bitcast double %v2 to i64
  %v5 = add i64 %v4, -4503599627370496
  %v6 = bitcast i64 %v5 to double
  %v7 = fadd double %v1, 1.000000e+00
  %v8 = select i1 %v3, double %v7, double %v1
  %v9 = select i1 %v3, double %v6, double %v2
  %v10 = fadd double %v9, -1.000000e+00
  %v11 = fmul double %v10, %v10
  %v12 = fmul double %v11, 5.000000e-01
  %v13 = fadd double %v10, 2.000000e+00
  %v14 = fdiv double %v10, %v13
  %v15 = fmul double %v14, %v14
  %v16 = tail call double @llvm.fma.f64(double %v15, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v15, double 0x3FC74664A41971F1)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v15, double 0x3FCC71C51D57B847)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v15, double 0x3FD249249422C781)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v15, double 0x3FD999999997F9E0)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v15, double 0x3FE5555555555593)
  %v22 = tail call double @llvm.fma.f64(double %v15, double %v21, double %v12)
  %v23 = fneg double %v12
  %v24 = tail call double @llvm.fma.f64(double %v14, double %v22, double %v23)
  %v25 = fmul double %v10, 0x3FDBCB7B1526E50E
  %v26 = fneg double %v25
  %v27 = tail call double @llvm.fma.f64(double %v10, double 0x3FDBCB7B1526E50E, double %v26)
  %v28 = tail call double @llvm.fma.f64(double %v10, double 0x3C695355BAAAFAD3, double %v27)
  %v29 = tail call double @llvm.fma.f64(double %v24, double 0x3FDBCB7B1526E50E, double %v28)
  %v30 = fmul double %v8, 0x3FD34413509F8000
  %v31 = fadd double %v30, %v25
  %v32 = fsub double %v31, %v30
  %v33 = fsub double %v25, %v32
  %v34 = fadd double %v33, %v29
  %v35 = tail call double @llvm.fma.f64(double %v8, double 0xBD380433B83B532A, double %v34)
  %v36 = fadd double %v31, %v35
  %v37 = tail call double @i_fixupimm_float64(double %v36, double %x)
  ret double %v37
}

define internal float @m_log1p_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fadd float %x, 1.000000e+00
  %v2 = fadd float %v1, -1.000000e+00
  %v3 = fsub float %x, %v2
  %v4 = tail call float @i_getexp_float32(float %v1)
  %v5 = tail call float @i_getmant_float32(float %v1)
  %v6 = fcmp oge float %v5, 0x3FF6A09E60000000
  %v7 = bitcast float %v5 to i32
  %v8 = add i32 %v7, -8388608
  %v9 = bitcast i32 %v8 to float
  %v10 = fadd float %v4, 1.000000e+00
  %v11 = select i1 %v6, float %v10, float %v4
  %v12 = select i1 %v6, float %v9, float %v5
  %v13 = fadd float %v12, -1.000000e+00
  %v14 = fneg float %v11
  %v15 = tail call float @i_scalef_float32(float %v3, float %v14)
  %v16 = fmul float %v13, %v13
  %v17 = fmul float %v16, 5.000000e-01
  %v18 = fadd float %v13, 2.000000e+00
  %v19 = fdiv float %v13, %v18
  %v20 = fmul float %v19, %v19
  %v21 = tail call float @llvm.fma.f32(float %v20, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v22 = tail call float @llvm.fma.f32(float %v21, float %v20, float 0x3FE55557A0000000)
  %v23 = tail call float @llvm.fma.f32(float %v20, float %v22, float %v17)
  %v24 = tail call float @llvm.fma.f32(float %v11, float 0x3EB7F7D1C0000000, float %v15)
  %v25 = tail call float @llvm.fma.f32(float %v19, float %v23, float %v24)
  %v26 = fsub float %v16, %v13
  %v27 = tail call float @llvm.fma.f32(float %v15, float %v26, float %v25)
  %v28 = fsub float %v27, %v17
  %v29 = fadd float %v13, %v28
  %v30 = tail call float @llvm.fma.f32(float %v11, float 0x3FE62E4000000000, float %v29)
  %v31 = tail call float @i_fixupimm_float32(float %v30, float %v1)
  %v32 = tail call float @llvm.copysign.f32(float %v31, float %x)
  ret float %v32
}

define internal double @m_log1p_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fadd double %x, 1.000000e+00
  %v2 = fadd double %v1, -1.000000e+00
  %v3 = fsub double %x, %v2
  %v4 = tail call double @i_getexp_float64(double %v1)
  %v5 = tail call double @i_getmant_float64(double %v1)
  %v6 = fcmp oge double %v5, 0x3FF6A09E667F3BCD
  %v7 = bitcast double %v5 to i64
  %v8 = add i64 %v7, -4503599627370496
  %v9 = bitcast i64 %v8 to double
  %v10 = fadd double %v4, 1.000000e+00
  %v11 = select i1 %v6, double %v10, double %v4
  %v12 = select i1 %v6, double %v9, double %v5
  %v13 = fadd double %v12, -1.000000e+00
  %v14 = fneg double %v11
  %v15 = tail call double @i_scalef_float64(double %v3, double %v14)
  %v16 = fmul double %v13, %v13
  %v17 = fmul double %v16, 5.000000e-01
  %v18 = fadd double %v13, 2.000000e+00
  %v19 = fdiv double %v13, %v18
  %v20 = fmul double %v19, %v19
  %v21 = tail call double @llvm.fma.f64(double %v20, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v22 = tail call double @llvm.fma.f64(double %v21, double %v20, double 0x3FC74664A41971F1)
  %v23 = tail call double @llvm.fma.f64(double %v22, double %v20, double 0x3FCC71C51D57B847)
  %v24 = tail call double @llvm.fma.f64(double %v23, double %v20, double 0x3FD249249422C781)
  %v25 = tail call double @llvm.fma.f64(double %v24, double %v20, double 0x3FD999999997F9E0)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v20, double 0x3FE5555555555593)
  %v27 = tail call double @llvm.fma.f64(double %v20, double %v26, double %v17)
  %v28 = tail call double @llvm.fma.f64(double %v11, double 0xBD48432A1B0E2634, double %v15)
  %v29 = tail call double @llvm.fma.f64(double %v19, double %v27, double %v28)
  %v30 = fsub double %v16, %v13
  %v31 = tail call double @llvm.fma.f64(double %v15, double %v30, double %v29)
  %v32 = fsub double %v31, %v17
  %v33 = fadd double %v13, %v32
  %v34 = tail call double @llvm.fma.f64(double %v11, double 0x3FE62E42FEFA4000, double %v33)
  %v35 = tail call double @i_fixupimm_float64(double %v34, double %v1)
  %v36 = tail call double @llvm.copysign.f64(double %v35, double %x)
  ret double %v36
}

define internal float @m_log2_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @i_getexp_float32(float %x)
  %v2 = tail call float @i_getmant_float32(float %x)
  %v3 = fcmp oge float %v2, 0x3FF6A09E60000000
  %v4 = bitcast float %v2 to i32
  %v5 = add i32 %v4, -8388608
  %v6 = bitcast i32 %v5 to float
  %v7 = fadd float %v1, 1.000000e+00
  %v8 = select i1 %v3, float %v7, float %v1
  %v9 = select i1 %v3, float %v6, float %v2
  %v10 = fadd float %v9, -1.000000e+00
  %v11 = fmul float %v10, %v10
  %v12 = fmul float %v11, 5.000000e-01
  %v13 = fadd float %v10, 2.000000e+00
  %v14 = fdiv float %v10, %v13
  %v15 = fmul float %v14, %v14
  %v16 = tail call float @llvm.fma.f32(float %v15, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v17 = tail call float @llvm.fma.f32(float %v16, float %v15, float 0x3FE55557A0000000)
  %v18 = tail call float @llvm.fma.f32(float %v15, float %v17, float %v12)
  %v19 = fneg float %v12
  %v20 = tail call float @llvm.fma.f32(float %v14, float %v18, float %v19)
  %v21 = fmul float %v10, 0x3FF7154760000000
  %v22 = fneg float %v21
  %v23 = tail call float @llvm.fma.f32(float %v10, float 0x3FF7154760000000, float %v22)
  %v24 = tail call float @llvm.fma.f32(float %v10, float 0x3E54AE0C00000000, float %v23)
  %v25 = tail call float @llvm.fma.f32(float %v20, float 0x3FF7154760000000, float %v24)
  %v26 = fadd float %v8, %v21
  %v27 = fsub float %v26, %v8
  %v28 = fsub float %v21, %v27
  %v29 = fadd float %v28, %v25
  %v30 = tail call float @llvm.fma.f32(float %v8, float 0.000000e+00, float %v29)
  %v31 = fadd float %v26, %v30
  %v32 = tail call float @i_fixupimm_float32(float %v31, float %x)
  ret float %v32
}

define internal double @m_log2_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @i_getexp_float64(double %x)
  %v2 = tail call double @i_getmant_float64(double %x)
  %v3 = fcmp oge double %v2, 0x3FF6A09E667F3BCD
  %v4 = bitcast double %v2 to i64
  %v5 = add i64 %v4, -4503599627370496
  %v6 = bitcast i64 %v5 to double
  %v7 = fadd double %v1, 1.000000e+00
  %v8 = select i1 %v3, double %v7, double %v1
  %v9 = select i1 %v3, double %v6, double %v2
  %v10 = fadd double %v9, -1.000000e+00
  %v11 = fmul double %v10, %v10
  %v12 = fmul double %v11, 5.000000e-01
  %v13 = fadd double %v10, 2.000000e+00
  %v14 = fdiv double %v10, %v13
  %v15 = fmul double %v14, %v14
  %v16 = tail call double @llvm.fma.f64(double %v15, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v15, double 0x3FC74664A41971F1)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v15, double 0x3FCC71C51D57B847)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v15, double 0x3FD249249422C781)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v15, double 0x3FD999999997F9E0)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v15, double 0x3FE5555555555593)
  %v22 = tail call double @llvm.fma.f64(double %v15, double %v21, double %v12)
  %v23 = fneg double %v12
  %v24 = tail call double @llvm.fma.f64(double %v14, double %v22, double %v23)
  %v25 = fmul double %v10, 0x3FF71547652B82FE
  %v26 = fneg double %v25
  %v27 = tail call double @llvm.fma.f64(double %v10, double 0x3FF71547652B82FE, double %v26)
  %v28 = tail call double @llvm.fma.f64(double %v10, double 0x3C7777D0FFDA0D24, double %v27)
  %v29 = tail call double @llvm.fma.f64(double %v24, double 0x3FF71547652B82FE, double %v28)
  %v30 = fadd double %v8, %v25
  %v31 = fsub double %v30, %v8
  %v32 = fsub double %v25, %v31
  %v33 = fadd double %v32, %v29
  %v34 = tail call double @llvm.fma.f64(double %v8, double 0.000000e+00, double %v33)
  %v35 = fadd double %v30, %v34
  %v36 = tail call double @i_fixupimm_float64(double %v35, double %x)
  ret double %v36
}

define internal float @m_log_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @i_getexp_float32(float %x)
  %v2 = tail call float @i_getmant_float32(float %x)
  %v3 = fcmp oge float %v2, 0x3FF6A09E60000000
  %v4 = fadd float %v1, 1.000000e+00
  %v5 = select i1 %v3, float %v4, float %v1
  %v6 = bitcast float %v2 to i32
  %v7 = add i32 %v6, -8388608
  %v8 = bitcast i32 %v7 to float
  %v9 = select i1 %v3, float %v8, float %v2
  %v10 = fadd float %v9, -1.000000e+00
  %v11 = fadd float %v10, 2.000000e+00
  %v12 = fdiv float %v10, %v11
  %v13 = fmul float %v12, %v12
  %v14 = tail call float @llvm.fma.f32(float %v13, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v15 = tail call float @llvm.fma.f32(float %v14, float %v13, float 0x3FE55557A0000000)
  %v16 = fmul float %v10, %v10
  %v17 = fmul float %v16, 5.000000e-01
  %v18 = tail call float @llvm.fma.f32(float %v13, float %v15, float %v17)
  %v19 = fmul float %v5, 0x3EB7F7D1C0000000
  %v20 = tail call float @llvm.fma.f32(float %v12, float %v18, float %v19)
  %v21 = fsub float %v20, %v17
  %v22 = fadd float %v10, %v21
  %v23 = tail call float @llvm.fma.f32(float %v5, float 0x3FE62E4000000000, float %v22)
  ret float %v23
}

define internal double @m_log_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @i_getexp_float64(double %x)
  %v2 = tail call double @i_getmant_float64(double %x)
  %v3 = fcmp oge double %v2, 0x3FF6A09E667F3BCD
  %v4 = bitcast double %v2 to i64
  %v5 = add i64 %v4, -4503599627370496
  %v6 = bitcast i64 %v5 to double
  %v7 = fadd double %v1, 1.000000e+00
  %v8 = select i1 %v3, double %v7, double %v1
  %v9 = select i1 %v3, double %v6, double %v2
  %v10 = fadd double %v9, -1.000000e+00
  %v11 = fmul double %v10, %v10
  %v12 = fmul double %v11, 5.000000e-01
  %v13 = fadd double %v10, 2.000000e+00
  %v14 = fdiv double %v10, %v13
  %v15 = fmul double %v14, %v14
  %v16 = tail call double @llvm.fma.f64(double %v15, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v15, double 0x3FC74664A41971F1)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v15, double 0x3FCC71C51D57B847)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v15, double 0x3FD249249422C781)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v15, double 0x3FD999999997F9E0)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v15, double 0x3FE5555555555593)
  %v22 = tail call double @llvm.fma.f64(double %v15, double %v21, double %v12)
  %v23 = fmul double %v8, 0xBD48432A1B0E2634
  %v24 = tail call double @llvm.fma.f64(double %v14, double %v22, double %v23)
  %v25 = fsub double %v24, %v12
  %v26 = fadd double %v10, %v25
  %v27 = tail call double @llvm.fma.f64(double %v8, double 0x3FE62E42FEFA4000, double %v26)
  %v28 = tail call double @i_fixupimm_float64(double %v27, double %x)
  ret double %v28
}

define internal float @m_pow_float32(float %x, float %y) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = tail call float @i_getexp_float32(float %v1)
  %v3 = tail call float @i_getmant_float32(float %v1)
  %v4 = fcmp oge float %v3, 0x3FF6A09E60000000
  %v5 = bitcast float %v3 to i32
  %v6 = add i32 %v5, -8388608
  %v7 = bitcast i32 %v6 to float
  %v8 = fadd float %v2, 1.000000e+00
  %v9 = select i1 %v4, float %v8, float %v2
  %v10 = select i1 %v4, float %v7, float %v3
  %v11 = fadd float %v10, -1.000000e+00
  %v12 = fadd float %v11, 2.000000e+00
  %v13 = fdiv float 1.000000e+00, %v12
  %v14 = fmul float %v11, %v13
  %v15 = fneg float %v14
  %v16 = fadd float %v12, -2.000000e+00
  %v17 = fsub float %v11, %v16
  %v18 = tail call float @llvm.fma.f32(float %v15, float %v12, float %v11)
  %v19 = tail call float @llvm.fma.f32(float %v15, float %v17, float %v18)
  %v20 = fmul float %v13, %v19
  %v21 = fmul float %v14, %v14
  %v22 = fmul float %v14, 2.000000e+00
  %v23 = fneg float %v21
  %v24 = tail call float @llvm.fma.f32(float %v14, float %v14, float %v23)
  %v25 = tail call float @llvm.fma.f32(float %v22, float %v20, float %v24)
  %v26 = fmul float %v14, %v21
  %v27 = fneg float %v26
  %v28 = tail call float @llvm.fma.f32(float %v14, float %v21, float %v27)
  %v29 = tail call float @llvm.fma.f32(float %v20, float %v21, float %v28)
  %v30 = tail call float @llvm.fma.f32(float %v14, float %v25, float %v29)
  %v31 = tail call float @llvm.fma.f32(float %v21, float 0x3FBDFA29A0000000, float 0x3FC24527C0000000)
  %v32 = tail call float @llvm.fma.f32(float %v31, float %v21, float 0x3FC999A000000000)
  %v33 = fmul float %v21, %v32
  %v34 = fadd float %v33, 0x3FD5555560000000
  %v35 = fsub float 0x3FD5555560000000, %v34
  %v36 = fadd float %v33, %v35
  %v37 = fadd float %v36, 0xBE45555560000000
  %v38 = fmul float %v26, %v34
  %v39 = fneg float %v38
  %v40 = tail call float @llvm.fma.f32(float %v26, float %v34, float %v39)
  %v41 = tail call float @llvm.fma.f32(float %v30, float %v34, float %v40)
  %v42 = tail call float @llvm.fma.f32(float %v26, float %v37, float %v41)
  %v43 = fadd float %v14, %v38
  %v44 = fsub float %v14, %v43
  %v45 = fadd float %v38, %v44
  %v46 = fadd float %v20, %v42
  %v47 = fadd float %v45, %v46
  %v48 = fmul float %v9, 0x3FE62E4000000000
  %v49 = fmul float %v43, 2.000000e+00
  %v50 = fadd float %v48, %v49
  %v51 = fsub float %v48, %v50
  %v52 = fadd float %v49, %v51
  %v53 = fmul float %v47, 2.000000e+00
  %v54 = tail call float @llvm.fma.f32(float %v9, float 0x3EB7F7D1C0000000, float %v53)
  %v55 = fadd float %v52, %v54
  %v56 = fcmp one float %v1, 0x7FF0000000000000
  %v57 = select i1 %v56, float %v50, float %v1
  %v58 = fcmp oeq float %x, 0.000000e+00
  %v59 = select i1 %v58, float 0xFFF0000000000000, float %v57
  %v60 = fmul float %y, %v59
  %v61 = fneg float %v60
  %v62 = tail call float @llvm.fma.f32(float %y, float %v59, float %v61)
  %v63 = tail call float @llvm.fma.f32(float %y, float %v55, float %v62)
  %v64 = fcmp olt float %v60, -1.045000e+02
  %v65 = fcmp ogt float %v60, 8.950000e+01
  %v66 = or i1 %v64, %v65
  %v67 = select i1 %v66, float 0.000000e+00, float %v63
  %v68 = select i1 %v64, float -1.045000e+02, float %v60
  %v69 = fcmp ogt float %v68, 8.950000e+01
  %v70 = select i1 %v69, float 8.950000e+01, float %v68
  %v71 = tail call float @llvm.fma.f32(float %v70, float 0x3FF7154760000000, float 0x4168000000000000)
  %v72 = fadd float %v71, 0xC168000000000000
  %v73 = fneg float %v72
  %v74 = tail call float @llvm.fma.f32(float %v73, float 0x3FE62E4000000000, float %v70)
  %v75 = tail call float @llvm.fma.f32(float %v73, float 0x3EB7F7D1C0000000, float %v74)
  %v76 = fmul float %v75, %v75
  %v77 = tail call float @llvm.fma.f32(float %v75, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v78 = tail call float @llvm.fma.f32(float %v77, float %v75, float 0x3FA5555240000000)
  %v79 = tail call float @llvm.fma.f32(float %v78, float %v75, float 0x3FC5554900000000)
  %v80 = tail call float @llvm.fma.f32(float %v79, float %v75, float 5.000000e-01)
  %v81 = tail call float @llvm.fma.f32(float %v76, float %v80, float %v75)
  %v82 = fadd float %v81, 1.000000e+00
  %v83 = tail call float @llvm.fma.f32(float %v67, float %v82, float %v81)
  %v84 = fadd float %v83, 1.000000e+00
  %v85 = tail call float @i_scalef_float32(float %v84, float %v72)
  %v86 = fcmp olt float %y, 0.000000e+00
  %v87 = tail call float @llvm.fabs.f32(float %y)
  %v88 = fcmp ole float %v87, 8.000000e+00
  %v89 = tail call float @llvm.trunc.f32(float %v87)
  %v90 = fcmp oeq float %v87, %v89
  %v91 = and i1 %v88, %v90
  %v92 = fcmp oeq float %v87, 8.000000e+00
  %v93 = fmul float %x, %x
  %v94 = fmul float %v93, %v93
  %v95 = fmul float %v94, %v94
  %v96 = fmul float %v87, 5.000000e-01
  %v97 = tail call float @llvm.trunc.f32(float %v96)
  %v98 = fmul float %v97, 5.000000e-01
  %v99 = tail call float @llvm.trunc.f32(float %v98)
  %v100 = fmul float %v99, 5.000000e-01
  %v101 = tail call float @llvm.trunc.f32(float %v100)
  %v102 = fadd float %v101, %v101
  %v103 = fcmp une float %v99, %v102
  %v104 = fadd float %v99, %v99
  %v105 = fcmp une float %v97, %v104
  %v106 = fadd float %v97, %v97
  %v107 = fcmp une float %v87, %v106
  %v108 = select i1 %v107, float %x, float 1.000000e+00
  %v109 = fmul float %v93, %v108
  %v110 = select i1 %v105, float %v109, float %v108
  %v111 = fmul float %v94, %v110
  %v112 = select i1 %v103, float %v111, float %v110
  %v113 = select i1 %v92, float %v95, float %v112
  %v114 = select i1 %v91, float %v113, float 0x7FF8000000000000
  %v115 = tail call float @llvm.fabs.f32(float %v114)
  %v116 = fcmp oeq float %v115, 0x7FF0000000000000
  %v117 = and i1 %v56, %v116
  %v118 = fdiv float 1.000000e+00, %v114
  %v119 = select i1 %v117, float 0x7FF8000000000000, float %v118
  %v120 = select i1 %v86, float %v119, float %v114
  %v121 = fcmp ord float %v120, 0.000000e+00
  %v122 = fcmp oeq float %x, 1.000000e+00
  %v123 = fcmp oeq float %v1, 1.000000e+00
  %v124 = fcmp oeq float %v87, 0x7FF0000000000000
  %v125 = and i1 %v123, %v124
  %v126 = or i1 %v122, %v125
  %v127 = fmul float %y, 5.000000e-01
  %v128 = tail call float @llvm.trunc.f32(float %v127)
  %v129 = fcmp une float %v128, %v127
  %v130 = bitcast float %x to i32
  %v131 = icmp slt i32 %v130, 0
  %v132 = and i1 %v131, %v129
  %v133 = tail call float @llvm.trunc.f32(float %y)
  %v134 = fcmp oeq float %v133, %y
  %v135 = and i1 %v134, %v132
  %v136 = fcmp olt float %x, 0.000000e+00
  %v137 = xor i1 %v134, true
  %v138 = and i1 %v136, %v137
  %v139 = and i1 %v56, %v138
  %v140 = select i1 %v139, float 0x7FF8000000000000, float %v85
  %v141 = fneg float %v140
  %v142 = select i1 %v135, float %v141, float %v140
  %v143 = select i1 %v126, float 1.000000e+00, float %v142
  %v144 = select i1 %v121, float %v120, float %v143
  ret float %v144
}

define internal double @m_pow_float64(double %x, double %y) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = tail call double @i_getexp_float64(double %v1)
  %v3 = tail call double @i_getmant_float64(double %v1)
  %v4 = fcmp oge double %v3, 0x3FF6A09E667F3BCD
  %v5 = bitcast double %v3 to i64
  %v6 = add i64 %v5, -4503599627370496
  %v7 = bitcast i64 %v6 to double
  %v8 = fadd double %v2, 1.000000e+00
  %v9 = select i1 %v4, double %v8, double %v2
  %v10 = select i1 %v4, double %v7, double %v3
  %v11 = fadd double %v10, -1.000000e+00
  %v12 = fadd double %v11, 2.000000e+00
  %v13 = fdiv double 1.000000e+00, %v12
  %v14 = fmul double %v11, %v13
  %v15 = fneg double %v14
  %v16 = fadd double %v12, -2.000000e+00
  %v17 = fsub double %v11, %v16
  %v18 = tail call double @llvm.fma.f64(double %v15, double %v12, double %v11)
  %v19 = tail call double @llvm.fma.f64(double %v15, double %v17, double %v18)
  %v20 = fmul double %v13, %v19
  %v21 = fmul double %v14, %v14
  %v22 = fmul double %v14, 2.000000e+00
  %v23 = fneg double %v21
  %v24 = tail call double @llvm.fma.f64(double %v14, double %v14, double %v23)
  %v25 = tail call double @llvm.fma.f64(double %v22, double %v20, double %v24)
  %v26 = fmul double %v14, %v21
  %v27 = fneg double %v26
  %v28 = tail call double @llvm.fma.f64(double %v14, double %v21, double %v27)
  %v29 = tail call double @llvm.fma.f64(double %v20, double %v21, double %v28)
  %v30 = tail call double @llvm.fma.f64(double %v14, double %v25, double %v29)
  %v31 = tail call double @llvm.fma.f64(double %v21, double 0x3FB0E48C86029D98, double 0x3FB0F7F491D7840F)
  %v32 = tail call double @llvm.fma.f64(double %v31, double %v21, double 0x3FB3B1EF291B286B)
  %v33 = tail call double @llvm.fma.f64(double %v32, double %v21, double 0x3FB745CE9C13DB3B)
  %v34 = tail call double @llvm.fma.f64(double %v33, double %v21, double 0x3FBC71C722DC3A56)
  %v35 = tail call double @llvm.fma.f64(double %v34, double %v21, double 0x3FC2492492457977)
  %v36 = tail call double @llvm.fma.f64(double %v35, double %v21, double 0x3FC9999999999B32)
  %v37 = fmul double %v21, %v36
  %v38 = fadd double %v37, 0x3FD5555555555555
  %v39 = fsub double 0x3FD5555555555555, %v38
  %v40 = fadd double %v37, %v39
  %v41 = fadd double %v40, 0x3C75555555555555
  %v42 = fmul double %v26, %v38
  %v43 = fneg double %v42
  %v44 = tail call double @llvm.fma.f64(double %v26, double %v38, double %v43)
  %v45 = tail call double @llvm.fma.f64(double %v30, double %v38, double %v44)
  %v46 = tail call double @llvm.fma.f64(double %v26, double %v41, double %v45)
  %v47 = fadd double %v14, %v42
  %v48 = fsub double %v14, %v47
  %v49 = fadd double %v42, %v48
  %v50 = fadd double %v20, %v46
  %v51 = fadd double %v49, %v50
  %v52 = fmul double %v9, 0x3FE62E42FEFA4000
  %v53 = fmul double %v47, 2.000000e+00
  %v54 = fadd double %v52, %v53
  %v55 = fsub double %v52, %v54
  %v56 = fadd double %v53, %v55
  %v57 = fmul double %v51, 2.000000e+00
  %v58 = tail call double @llvm.fma.f64(double %v9, double 0xBD48432A1B0E2634, double %v57)
  %v59 = fadd double %v56, %v58
  %v60 = fcmp one double %v1, 0x7FF0000000000000
  %v61 = select i1 %v60, double %v54, double %v1
  %v62 = fcmp oeq double %x, 0.000000e+00
  %v63 = select i1 %v62, double 0xFFF0000000000000, double %v61
  %v64 = fmul double %y, %v63
  %v65 = fneg double %v64
  %v66 = tail call double @llvm.fma.f64(double %y, double %v63, double %v65)
  %v67 = tail call double @llvm.fma.f64(double %y, double %v59, double %v66)
  %v68 = fcmp olt double %v64, -7.460000e+02
  %v69 = fcmp ogt double %v64, 7.105000e+02
  %v70 = or i1 %v68, %v69
  %v71 = select i1 %v70, double 0.000000e+00, double %v67
  %v72 = select i1 %v68, double -7.460000e+02, double %v64
  %v73 = fcmp ogt double %v72, 7.105000e+02
  %v74 = select i1 %v73, double 7.105000e+02, double %v72
  %v75 = tail call double @llvm.fma.f64(double %v74, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v76 = fadd double %v75, 0xC338000000000000
  %v77 = fneg double %v76
  %v78 = tail call double @llvm.fma.f64(double %v77, double 0x3FE62E42FEFA4000, double %v74)
  %v79 = tail call double @llvm.fma.f64(double %v77, double 0xBD48432A1B0E2634, double %v78)
  %v80 = fmul double %v79, %v79
  %v81 = tail call double @llvm.fma.f64(double %v79, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v82 = tail call double @llvm.fma.f64(double %v81, double %v79, double 0x3E927E4DB81FC5C4)
  %v83 = tail call double @llvm.fma.f64(double %v82, double %v79, double 0x3EC71DDED4DF15D0)
  %v84 = tail call double @llvm.fma.f64(double %v83, double %v79, double 0x3EFA01A01A70E1D0)
  %v85 = tail call double @llvm.fma.f64(double %v84, double %v79, double 0x3F2A01A01B4A1A68)
  %v86 = tail call double @llvm.fma.f64(double %v85, double %v79, double 0x3F56C16C16C1618C)
  %v87 = tail call double @llvm.fma.f64(double %v86, double %v79, double 0x3F8111111110E966)
  %v88 = tail call double @llvm.fma.f64(double %v87, double %v79, double 0x3FA5555555555556)
  %v89 = tail call double @llvm.fma.f64(double %v88, double %v79, double 0x3FC555555555555C)
  %v90 = tail call double @llvm.fma.f64(double %v89, double %v79, double 5.000000e-01)
  %v91 = tail call double @llvm.fma.f64(double %v80, double %v90, double %v79)
  %v92 = fadd double %v91, 1.000000e+00
  %v93 = tail call double @llvm.fma.f64(double %v71, double %v92, double %v91)
  %v94 = fadd double %v93, 1.000000e+00
  %v95 = tail call double @i_scalef_float64(double %v94, double %v76)
  %v96 = fcmp olt double %y, 0.000000e+00
  %v97 = tail call double @llvm.fabs.f64(double %y)
  %v98 = fcmp ole double %v97, 8.000000e+00
  %v99 = tail call double @llvm.trunc.f64(double %v97)
  %v100 = fcmp oeq double %v97, %v99
  %v101 = and i1 %v98, %v100
  %v102 = fcmp oeq double %v97, 8.000000e+00
  %v103 = fmul double %x, %x
  %v104 = fmul double %v103, %v103
  %v105 = fmul double %v104, %v104
  %v106 = fmul double %v97, 5.000000e-01
  %v107 = tail call double @llvm.trunc.f64(double %v106)
  %v108 = fmul double %v107, 5.000000e-01
  %v109 = tail call double @llvm.trunc.f64(double %v108)
  %v110 = fmul double %v109, 5.000000e-01
  %v111 = tail call double @llvm.trunc.f64(double %v110)
  %v112 = fadd double %v111, %v111
  %v113 = fcmp une double %v109, %v112
  %v114 = fadd double %v109, %v109
  %v115 = fcmp une double %v107, %v114
  %v116 = fadd double %v107, %v107
  %v117 = fcmp une double %v97, %v116
  %v118 = select i1 %v117, double %x, double 1.000000e+00
  %v119 = fmul double %v103, %v118
  %v120 = select i1 %v115, double %v119, double %v118
  %v121 = fmul double %v104, %v120
  %v122 = select i1 %v113, double %v121, double %v120
  %v123 = select i1 %v102, double %v105, double %v122
  %v124 = select i1 %v101, double %v123, double 0x7FF8000000000000
  %v125 = tail call double @llvm.fabs.f64(double %v124)
  %v126 = fcmp oeq double %v125, 0x7FF0000000000000
  %v127 = and i1 %v60, %v126
  %v128 = fdiv double 1.000000e+00, %v124
  %v129 = select i1 %v127, double 0x7FF8000000000000, double %v128
  %v130 = select i1 %v96, double %v129, double %v124
  %v131 = fcmp ord double %v130, 0.000000e+00
  %v132 = fcmp oeq double %x, 1.000000e+00
  %v133 = fcmp oeq double %v1, 1.000000e+00
  %v134 = fcmp oeq double %v97, 0x7FF0000000000000
  %v135 = and i1 %v133, %v134
  %v136 = or i1 %v132, %v135
  %v137 = fmul double %y, 5.000000e-01
  %v138 = tail call double @llvm.trunc.f64(double %v137)
  %v139 = fcmp une double %v138, %v137
  %v140 = bitcast double %x to i64
  %v141 = icmp slt i64 %v140, 0
  %v142 = and i1 %v141, %v139
  %v143 = tail call double @llvm.trunc.f64(double %y)
  %v144 = fcmp oeq double %v143, %y
  %v145 = and i1 %v144, %v142
  %v146 = fcmp olt double %x, 0.000000e+00
  %v147 = xor i1 %v144, true
  %v148 = and i1 %v146, %v147
  %v149 = and i1 %v60, %v148
  %v150 = select i1 %v149, double 0x7FF8000000000000, double %v95
  %v151 = fneg double %v150
  %v152 = select i1 %v145, double %v151, double %v150
  %v153 = select i1 %v136, double 1.000000e+00, double %v152
  %v154 = select i1 %v131, double %v130, double %v153
  ret double %v154
}

define internal float @m_sigmoid_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fneg float %v1
  %v3 = fcmp olt float %v2, -1.045000e+02
  %v4 = select i1 %v3, float -1.045000e+02, float %v2
  %v5 = tail call float @llvm.fma.f32(float %v4, float 0x3FF7154760000000, float 0x4168000000000000)
  %v6 = fadd float %v5, 0xC168000000000000
  %v7 = fneg float %v6
  %v8 = tail call float @llvm.fma.f32(float %v7, float 0x3FE62E4000000000, float %v4)
  %v9 = tail call float @llvm.fma.f32(float %v7, float 0x3EB7F7D1C0000000, float %v8)
  %v10 = fmul float %v9, %v9
  %v11 = tail call float @llvm.fma.f32(float %v9, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v12 = tail call float @llvm.fma.f32(float %v11, float %v9, float 0x3FA5555240000000)
  %v13 = tail call float @llvm.fma.f32(float %v12, float %v9, float 0x3FC5554900000000)
  %v14 = tail call float @llvm.fma.f32(float %v13, float %v9, float 5.000000e-01)
  %v15 = tail call float @llvm.fma.f32(float %v10, float %v14, float %v9)
  %v16 = fadd float %v15, 1.000000e+00
  %v17 = tail call float @i_scalef_float32(float %v16, float %v6)
  %v18 = fcmp olt float %x, 0.000000e+00
  %v19 = select i1 %v18, float %v17, float 1.000000e+00
  %v20 = fadd float %v17, 1.000000e+00
  %v21 = fdiv float 1.000000e+00, %v20
  %v22 = fmul float %v19, %v21
  %v23 = fneg float %v22
  %v24 = fadd float %v20, -1.000000e+00
  %v25 = fsub float %v17, %v24
  %v26 = tail call float @llvm.fma.f32(float %v23, float %v20, float %v19)
  %v27 = tail call float @llvm.fma.f32(float %v23, float %v25, float %v26)
  %v28 = tail call float @llvm.fma.f32(float %v27, float %v21, float %v22)
  ret float %v28
}

define internal double @m_sigmoid_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fneg double %v1
  %v3 = fcmp olt double %v2, -7.460000e+02
  %v4 = select i1 %v3, double -7.460000e+02, double %v2
  %v5 = tail call double @llvm.fma.f64(double %v4, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v6 = fadd double %v5, 0xC338000000000000
  %v7 = fneg double %v6
  %v8 = tail call double @llvm.fma.f64(double %v7, double 0x3FE62E42FEFA4000, double %v4)
  %v9 = tail call double @llvm.fma.f64(double %v7, double 0xBD48432A1B0E2634, double %v8)
  %v10 = fmul double %v9, %v9
  %v11 = tail call double @llvm.fma.f64(double %v9, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v12 = tail call double @llvm.fma.f64(double %v11, double %v9, double 0x3E927E4DB81FC5C4)
  %v13 = tail call double @llvm.fma.f64(double %v12, double %v9, double 0x3EC71DDED4DF15D0)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v9, double 0x3EFA01A01A70E1D0)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v9, double 0x3F2A01A01B4A1A68)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v9, double 0x3F56C16C16C1618C)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v9, double 0x3F8111111110E966)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v9, double 0x3FA5555555555556)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v9, double 0x3FC555555555555C)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v9, double 5.000000e-01)
  %v21 = tail call double @llvm.fma.f64(double %v10, double %v20, double %v9)
  %v22 = fadd double %v21, 1.000000e+00
  %v23 = tail call double @i_scalef_float64(double %v22, double %v6)
  %v24 = fcmp olt double %x, 0.000000e+00
  %v25 = select i1 %v24, double %v23, double 1.000000e+00
  %v26 = fadd double %v23, 1.000000e+00
  %v27 = fdiv double 1.000000e+00, %v26
  %v28 = fmul double %v25, %v27
  %v29 = fneg double %v28
  %v30 = fadd double %v26, -1.000000e+00
  %v31 = fsub double %v23, %v30
  %v32 = tail call double @llvm.fma.f64(double %v29, double %v26, double %v25)
  %v33 = tail call double @llvm.fma.f64(double %v29, double %v31, double %v32)
  %v34 = tail call double @llvm.fma.f64(double %v33, double %v27, double %v28)
  ret double %v34
}

define internal float @m_sinh_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp ogt float %v1, 1.000000e+00
  %v3 = fmul float %x, %x
  %v4 = select i1 %v2, float 1.000000e+00, float %v3
  %v5 = fmul float %v1, %v4
  %v6 = tail call float @llvm.fma.f32(float %v4, float 0x3EC756E440000000, float 0x3F2A022B60000000)
  %v7 = tail call float @llvm.fma.f32(float %v6, float %v4, float 0x3F81110E00000000)
  %v8 = tail call float @llvm.fma.f32(float %v7, float %v4, float 0x3FC5555560000000)
  %v9 = tail call float @llvm.fma.f32(float %v5, float %v8, float %v1)
  %v10 = fcmp ogt float %v1, 9.050000e+01
  %v11 = select i1 %v10, float 9.050000e+01, float %v1
  %v12 = tail call float @llvm.fma.f32(float %v11, float 0x3FF7154760000000, float 0x4168000000000000)
  %v13 = fadd float %v12, 0xC168000000000000
  %v14 = fneg float %v13
  %v15 = tail call float @llvm.fma.f32(float %v14, float 0x3FE62E4000000000, float %v11)
  %v16 = tail call float @llvm.fma.f32(float %v14, float 0x3EB7F7D1C0000000, float %v15)
  %v17 = fmul float %v16, %v16
  %v18 = tail call float @llvm.fma.f32(float %v16, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v19 = tail call float @llvm.fma.f32(float %v18, float %v16, float 0x3FA5555240000000)
  %v20 = tail call float @llvm.fma.f32(float %v19, float %v16, float 0x3FC5554900000000)
  %v21 = tail call float @llvm.fma.f32(float %v20, float %v16, float 5.000000e-01)
  %v22 = tail call float @llvm.fma.f32(float %v17, float %v21, float %v16)
  %v23 = fadd float %v22, 1.000000e+00
  %v24 = fadd float %v12, -1.000000e+00
  %v25 = fadd float %v24, 0xC168000000000000
  %v26 = tail call float @i_scalef_float32(float %v23, float %v25)
  %v27 = fdiv float 2.500000e-01, %v26
  %v28 = fsub float %v26, %v27
  %v29 = select i1 %v2, float %v28, float %v9
  %v30 = tail call float @llvm.copysign.f32(float %v29, float %x)
  ret float %v30
}

define internal double @m_sinh_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp ogt double %v1, 1.000000e+00
  %v3 = fmul double %x, %x
  %v4 = select i1 %v2, double 1.000000e+00, double %v3
  %v5 = fmul double %v1, %v4
  %v6 = tail call double @llvm.fma.f64(double %v4, double 0x3CFD29A7EA9D0DBB, double 0x3D6A665665D36395)
  %v7 = tail call double @llvm.fma.f64(double %v6, double %v4, double 0x3DE61314D36358C7)
  %v8 = tail call double @llvm.fma.f64(double %v7, double %v4, double 0x3E5AE644122C2A7F)
  %v9 = tail call double @llvm.fma.f64(double %v8, double %v4, double 0x3EC71DE3A68D013A)
  %v10 = tail call double @llvm.fma.f64(double %v9, double %v4, double 0x3F2A01A01A00735C)
  %v11 = tail call double @llvm.fma.f64(double %v10, double %v4, double 0x3F8111111111119B)
  %v12 = tail call double @llvm.fma.f64(double %v11, double %v4, double 0x3FC5555555555555)
  %v13 = tail call double @llvm.fma.f64(double %v5, double %v12, double %v1)
  %v14 = fcmp ogt double %v1, 7.115000e+02
  %v15 = select i1 %v14, double 7.115000e+02, double %v1
  %v16 = tail call double @llvm.fma.f64(double %v15, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v17 = fadd double %v16, 0xC338000000000000
  %v18 = fneg double %v17
  %v19 = tail call double @llvm.fma.f64(double %v18, double 0x3FE62E42FEFA4000, double %v15)
  %v20 = tail call double @llvm.fma.f64(double %v18, double 0xBD48432A1B0E2634, double %v19)
  %v21 = fmul double %v20, %v20
  %v22 = tail call double @llvm.fma.f64(double %v20, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v23 = tail call double @llvm.fma.f64(double %v22, double %v20, double 0x3E927E4DB81FC5C4)
  %v24 = tail call double @llvm.fma.f64(double %v23, double %v20, double 0x3EC71DDED4DF15D0)
  %v25 = tail call double @llvm.fma.f64(double %v24, double %v20, double 0x3EFA01A01A70E1D0)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v20, double 0x3F2A01A01B4A1A68)
  %v27 = tail call double @llvm.fma.f64(double %v26, double %v20, double 0x3F56C16C16C1618C)
  %v28 = tail call double @llvm.fma.f64(double %v27, double %v20, double 0x3F8111111110E966)
  %v29 = tail call double @llvm.fma.f64(double %v28, double %v20, double 0x3FA5555555555556)
  %v30 = tail call double @llvm.fma.f64(double %v29, double %v20, double 0x3FC555555555555C)
  %v31 = tail call double @llvm.fma.f64(double %v30, double %v20, double 5.000000e-01)
  %v32 = tail call double @llvm.fma.f64(double %v21, double %v31, double %v20)
  %v33 = fadd double %v32, 1.000000e+00
  %v34 = fadd double %v16, -1.000000e+00
  %v35 = fadd double %v34, 0xC338000000000000
  %v36 = tail call double @i_scalef_float64(double %v33, double %v35)
  %v37 = fdiv double 2.500000e-01, %v36
  %v38 = fsub double %v36, %v37
  %v39 = select i1 %v2, double %v38, double %v13
  %v40 = tail call double @llvm.copysign.f64(double %v39, double %x)
  ret double %v40
}

define internal float @m_softplus_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fneg float %v1
  %v3 = fcmp olt float %v2, -1.045000e+02
  %v4 = select i1 %v3, float -1.045000e+02, float %v2
  %v5 = tail call float @llvm.fma.f32(float %v4, float 0x3FF7154760000000, float 0x4168000000000000)
  %v6 = fadd float %v5, 0xC168000000000000
  %v7 = fneg float %v6
  %v8 = tail call float @llvm.fma.f32(float %v7, float 0x3FE62E4000000000, float %v4)
  %v9 = tail call float @llvm.fma.f32(float %v7, float 0x3EB7F7D1C0000000, float %v8)
  %v10 = fmul float %v9, %v9
  %v11 = tail call float @llvm.fma.f32(float %v9, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v12 = tail call float @llvm.fma.f32(float %v11, float %v9, float 0x3FA5555240000000)
  %v13 = tail call float @llvm.fma.f32(float %v12, float %v9, float 0x3FC5554900000000)
  %v14 = tail call float @llvm.fma.f32(float %v13, float %v9, float 5.000000e-01)
  %v15 = tail call float @llvm.fma.f32(float %v10, float %v14, float %v9)
  %v16 = fadd float %v15, 1.000000e+00
  %v17 = tail call float @i_scalef_float32(float %v16, float %v6)
  %v18 = fadd float %v17, 1.000000e+00
  %v19 = fadd float %v18, -1.000000e+00
  %v20 = fsub float %v17, %v19
  %v21 = tail call float @i_getexp_float32(float %v18)
  %v22 = tail call float @i_getmant_float32(float %v18)
  %v23 = fcmp oge float %v22, 0x3FF6A09E60000000
  %v24 = fadd float %v21, 1.000000e+00
  %v25 = select i1 %v23, float %v24, float %v21
  %v26 = fneg float %v25
  %v27 = tail call float @i_scalef_float32(float %v20, float %v26)
  %v28 = fcmp olt float %x, 0.000000e+00
  %v29 = select i1 %v28, float 0.000000e+00, float %x
  %v30 = bitcast float %v22 to i32
  %v31 = add i32 %v30, -8388608
  %v32 = bitcast i32 %v31 to float
  %v33 = select i1 %v23, float %v32, float %v22
  %v34 = fadd float %v33, -1.000000e+00
  %v35 = fmul float %v34, %v34
  %v36 = fsub float %v35, %v34
  %v37 = fadd float %v34, 2.000000e+00
  %v38 = fdiv float %v34, %v37
  %v39 = fmul float %v38, %v38
  %v40 = tail call float @llvm.fma.f32(float %v39, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v41 = tail call float @llvm.fma.f32(float %v40, float %v39, float 0x3FE55557A0000000)
  %v42 = fmul float %v35, 5.000000e-01
  %v43 = tail call float @llvm.fma.f32(float %v39, float %v41, float %v42)
  %v44 = tail call float @llvm.fma.f32(float %v25, float 0x3EB7F7D1C0000000, float %v27)
  %v45 = tail call float @llvm.fma.f32(float %v38, float %v43, float %v44)
  %v46 = tail call float @llvm.fma.f32(float %v27, float %v36, float %v45)
  %v47 = fsub float %v46, %v42
  %v48 = fadd float %v34, %v47
  %v49 = tail call float @llvm.fma.f32(float %v25, float 0x3FE62E4000000000, float %v48)
  %v50 = fadd float %v29, %v49
  ret float %v50
}

define internal double @m_softplus_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fneg double %v1
  %v3 = fcmp olt double %v2, -7.460000e+02
  %v4 = select i1 %v3, double -7.460000e+02, double %v2
  %v5 = tail call double @llvm.fma.f64(double %v4, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v6 = fadd double %v5, 0xC338000000000000
  %v7 = fneg double %v6
  %v8 = tail call double @llvm.fma.f64(double %v7, double 0x3FE62E42FEFA4000, double %v4)
  %v9 = tail call double @llvm.fma.f64(double %v7, double 0xBD48432A1B0E2634, double %v8)
  %v10 = fmul double %v9, %v9
  %v11 = tail call double @llvm.fma.f64(double %v9, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v12 = tail call double @llvm.fma.f64(double %v11, double %v9, double 0x3E927E4DB81FC5C4)
  %v13 = tail call double @llvm.fma.f64(double %v12, double %v9, double 0x3EC71DDED4DF15D0)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v9, double 0x3EFA01A01A70E1D0)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v9, double 0x3F2A01A01B4A1A68)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v9, double 0x3F56C16C16C1618C)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v9, double 0x3F8111111110E966)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v9, double 0x3FA5555555555556)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v9, double 0x3FC555555555555C)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v9, double 5.000000e-01)
  %v21 = tail call double @llvm.fma.f64(double %v10, double %v20, double %v9)
  %v22 = fadd double %v21, 1.000000e+00
  %v23 = tail call double @i_scalef_float64(double %v22, double %v6)
  %v24 = fadd double %v23, 1.000000e+00
  %v25 = fadd double %v24, -1.000000e+00
  %v26 = fsub double %v23, %v25
  %v27 = tail call double @i_getexp_float64(double %v24)
  %v28 = tail call double @i_getmant_float64(double %v24)
  %v29 = fcmp oge double %v28, 0x3FF6A09E667F3BCD
  %v30 = fadd double %v27, 1.000000e+00
  %v31 = select i1 %v29, double %v30, double %v27
  %v32 = fneg double %v31
  %v33 = tail call double @i_scalef_float64(double %v26, double %v32)
  %v34 = fcmp olt double %x, 0.000000e+00
  %v35 = select i1 %v34, double 0.000000e+00, double %x
  %v36 = bitcast double %v28 to i64
  %v37 = add i64 %v36, -4503599627370496
  %v38 = bitcast i64 %v37 to double
  %v39 = select i1 %v29, double %v38, double %v28
  %v40 = fadd double %v39, -1.000000e+00
  %v41 = fmul double %v40, %v40
  %v42 = fsub double %v41, %v40
  %v43 = fadd double %v40, 2.000000e+00
  %v44 = fdiv double %v40, %v43
  %v45 = fmul double %v44, %v44
  %v46 = tail call double @llvm.fma.f64(double %v45, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v47 = tail call double @llvm.fma.f64(double %v46, double %v45, double 0x3FC74664A41971F1)
  %v48 = tail call double @llvm.fma.f64(double %v47, double %v45, double 0x3FCC71C51D57B847)
  %v49 = tail call double @llvm.fma.f64(double %v48, double %v45, double 0x3FD249249422C781)
  %v50 = tail call double @llvm.fma.f64(double %v49, double %v45, double 0x3FD999999997F9E0)
  %v51 = tail call double @llvm.fma.f64(double %v50, double %v45, double 0x3FE5555555555593)
  %v52 = fmul double %v41, 5.000000e-01
  %v53 = tail call double @llvm.fma.f64(double %v45, double %v51, double %v52)
  %v54 = tail call double @llvm.fma.f64(double %v31, double 0xBD48432A1B0E2634, double %v33)
  %v55 = tail call double @llvm.fma.f64(double %v44, double %v53, double %v54)
  %v56 = tail call double @llvm.fma.f64(double %v33, double %v42, double %v55)
  %v57 = fsub double %v56, %v52
  %v58 = fadd double %v40, %v57
  %v59 = tail call double @llvm.fma.f64(double %v31, double 0x3FE62E42FEFA4000, double %v58)
  %v60 = fadd double %v35, %v59
  ret double %v60
}
