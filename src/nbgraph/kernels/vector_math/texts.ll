; Made by scripts/vector_math_texts.py from nbgraph/kernels/vector_math. Do not edit.
; sources 27d054ae0b1879bb, llvmlite 0.50, fma

declare float @llvm.ceil.f32(float)

declare double @llvm.ceil.f64(double)

declare float @llvm.copysign.f32(float, float)

declare double @llvm.copysign.f64(double, double)

declare float @llvm.fabs.f32(float)

declare double @llvm.fabs.f64(double)

declare float @llvm.floor.f32(float)

declare double @llvm.floor.f64(double)

declare float @llvm.fma.f32(float, float, float)

declare double @llvm.fma.f64(double, double, double)

declare i1 @llvm.is.fpclass.f32(float, i32 immarg)

declare i1 @llvm.is.fpclass.f64(double, i32 immarg)

declare void @llvm.lifetime.end.p0(ptr captures(none))

declare void @llvm.lifetime.start.p0(ptr captures(none))

declare float @llvm.roundeven.f32(float)

declare double @llvm.roundeven.f64(double)

declare float @llvm.sqrt.f32(float)

declare double @llvm.sqrt.f64(double)

declare float @llvm.trunc.f32(float)

declare double @llvm.trunc.f64(double)

declare i32 @llvm.umin.i32(i32, i32)

declare i64 @llvm.umin.i64(i64, i64)

declare i32 @llvm.usub.sat.i32(i32, i32)

declare i64 @llvm.usub.sat.i64(i64, i64)

define internal float @m_acos_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp ogt float %v1, 5.000000e-01
  %v3 = fcmp olt float %x, 0.000000e+00
  %v4 = select i1 %v3, float 0x400921FB60000000, float 0.000000e+00
  %v5 = select i1 %v2, float %v4, float 0x3FF921FB60000000
  %v6 = xor i1 %v3, %v2
  %v7 = tail call float @llvm.fma.f32(float %v1, float -5.000000e-01, float 5.000000e-01)
  %v8 = fmul float %x, %x
  %v9 = select i1 %v2, float %v7, float %v8
  %v10 = tail call float @llvm.sqrt.f32(float %v9)
  %v11 = fmul float %v10, 2.000000e+00
  %v12 = select i1 %v2, float %v11, float %v1
  %v13 = fneg float %v12
  %v14 = select i1 %v6, float %v13, float %v12
  %v15 = fsub float %v5, %v14
  %v16 = fsub float %v5, %v15
  %v17 = fsub float %v16, %v14
  %v18 = select i1 %v3, float 0xBE7777A5C0000000, float 0.000000e+00
  %v19 = select i1 %v2, float %v18, float 0xBE6777A5C0000000
  %v20 = fmul float %v9, %v12
  %v21 = tail call float @llvm.fma.f32(float %v9, float 0x3FA595C200000000, float 0x3F98C3E7E0000000)
  %v22 = tail call float @llvm.fma.f32(float %v21, float %v9, float 0x3FA747BB60000000)
  %v23 = tail call float @llvm.fma.f32(float %v22, float %v9, float 0x3FB3302040000000)
  %v24 = tail call float @llvm.fma.f32(float %v23, float %v9, float 0x3FC5555C80000000)
  %v25 = fmul float %v20, %v24
  %v26 = fneg float %v25
  %v27 = select i1 %v6, float %v26, float %v25
  %v28 = fsub float %v19, %v27
  %v29 = fadd float %v17, %v28
  %v30 = fadd float %v15, %v29
  ret float %v30
}

define internal double @m_acos_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp ogt double %v1, 5.000000e-01
  %v3 = fcmp olt double %x, 0.000000e+00
  %v4 = select i1 %v3, double 0x400921FB54442D18, double 0.000000e+00
  %v5 = select i1 %v2, double %v4, double 0x3FF921FB54442D18
  %v6 = xor i1 %v3, %v2
  %v7 = tail call double @llvm.fma.f64(double %v1, double -5.000000e-01, double 5.000000e-01)
  %v8 = fmul double %x, %x
  %v9 = select i1 %v2, double %v7, double %v8
  %v10 = tail call double @llvm.sqrt.f64(double %v9)
  %v11 = fmul double %v10, 2.000000e+00
  %v12 = select i1 %v2, double %v11, double %v1
  %v13 = fneg double %v12
  %v14 = select i1 %v6, double %v13, double %v12
  %v15 = fsub double %v5, %v14
  %v16 = fsub double %v5, %v15
  %v17 = fsub double %v16, %v14
  %v18 = select i1 %v3, double 0x3CA1A62633145C07, double 0.000000e+00
  %v19 = select i1 %v2, double %v18, double 0x3C91A62633145C07
  %v20 = fmul double %v9, %v12
  %v21 = tail call double @llvm.fma.f64(double %v9, double 0x3FA056B68B178031, double 0xBF909CC8513C2F0D)
  %v22 = tail call double @llvm.fma.f64(double %v21, double %v9, double 0x3F93FEFE06798F09)
  %v23 = tail call double @llvm.fma.f64(double %v22, double %v9, double 0x3F7ABD74E9D75BA4)
  %v24 = tail call double @llvm.fma.f64(double %v23, double %v9, double 0x3F88EC1F0242BAB9)
  %v25 = tail call double @llvm.fma.f64(double %v24, double %v9, double 0x3F8C6FDF0BA7FF51)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v9, double 0x3F91C6BDEE146C25)
  %v27 = tail call double @llvm.fma.f64(double %v26, double %v9, double 0x3F96E89F477961EB)
  %v28 = tail call double @llvm.fma.f64(double %v27, double %v9, double 0x3F9F1C72C36323F5)
  %v29 = tail call double @llvm.fma.f64(double %v28, double %v9, double 0x3FA6DB6DB4285039)
  %v30 = tail call double @llvm.fma.f64(double %v29, double %v9, double 0x3FB333333336E6B8)
  %v31 = tail call double @llvm.fma.f64(double %v30, double %v9, double 0x3FC5555555555391)
  %v32 = fmul double %v20, %v31
  %v33 = fneg double %v32
  %v34 = select i1 %v6, double %v33, double %v32
  %v35 = fsub double %v19, %v34
  %v36 = fadd double %v17, %v35
  %v37 = fadd double %v15, %v36
  ret double %v37
}

define internal float @m_acosh_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt float %x, 1.000000e+00
  %v2 = fcmp one float %x, 0x7FF0000000000000
  %v3 = fcmp ogt float %x, 1.638400e+04
  %v4 = fadd float %x, -1.000000e+00
  %v5 = select i1 %v3, float 1.000000e+00, float %v4
  %v6 = fadd float %v5, %v5
  %v7 = tail call float @llvm.fma.f32(float %v5, float %v5, float %v6)
  %v8 = tail call float @llvm.sqrt.f32(float %v7)
  %v9 = fadd float %v5, %v8
  %v10 = fadd float %v9, 1.000000e+00
  %v11 = select i1 %v3, float %x, float %v10
  %v12 = bitcast float %v11 to i32
  %v13 = add i32 %v12, 4913933
  %v14 = lshr i32 %v13, 23
  %v15 = or disjoint i32 %v14, 1258291200
  %v16 = bitcast i32 %v15 to float
  %v17 = fadd float %v16, 0xC160000000000000
  %v18 = fadd float %v17, -1.270000e+02
  %v19 = and i32 %v13, 8388607
  %v20 = add nuw nsw i32 %v19, 1060439283
  %v21 = bitcast i32 %v20 to float
  %v22 = fadd float %v21, -1.000000e+00
  %v23 = fadd float %v10, -1.000000e+00
  %v24 = fsub float %v9, %v23
  %v25 = select i1 %v3, float 0.000000e+00, float %v24
  %v26 = fcmp ogt float %v17, 2.540000e+02
  %v27 = select i1 %v26, float 2.540000e+02, float %v17
  %v28 = fadd float %v27, 0x4160000000000000
  %v29 = bitcast float %v28 to i32
  %v30 = shl i32 %v29, 23
  %v31 = sub i32 2130706432, %v30
  %v32 = bitcast i32 %v31 to float
  %v33 = fmul float %v25, %v32
  %v34 = fmul float %v22, %v22
  %v35 = fsub float %v34, %v22
  %v36 = fadd float %v22, 2.000000e+00
  %v37 = fdiv float %v22, %v36
  %v38 = fmul float %v37, %v37
  %v39 = tail call float @llvm.fma.f32(float %v38, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v40 = tail call float @llvm.fma.f32(float %v39, float %v38, float 0x3FE55557A0000000)
  %v41 = fmul float %v34, 5.000000e-01
  %v42 = tail call float @llvm.fma.f32(float %v38, float %v40, float %v41)
  %v43 = tail call float @llvm.fma.f32(float %v18, float 0x3EB7F7D1C0000000, float %v33)
  %v44 = tail call float @llvm.fma.f32(float %v37, float %v42, float %v43)
  %v45 = tail call float @llvm.fma.f32(float %v33, float %v35, float %v44)
  %v46 = fsub float %v45, %v41
  %v47 = fadd float %v22, %v46
  %v48 = tail call float @llvm.fma.f32(float %v18, float 0x3FE62E4000000000, float %v47)
  %v49 = select i1 %v3, float 0x3FE62E4300000000, float 0.000000e+00
  %v50 = fadd float %v49, %v48
  %v51 = select i1 %v2, float %v50, float %x
  %v52 = select i1 %v1, float 0x7FF8000000000000, float %v51
  ret float %v52
}

define internal double @m_acosh_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt double %x, 1.000000e+00
  %v2 = fcmp one double %x, 0x7FF0000000000000
  %v3 = fcmp ogt double %x, 0x41B0000000000000
  %v4 = fadd double %x, -1.000000e+00
  %v5 = select i1 %v3, double 1.000000e+00, double %v4
  %v6 = fadd double %v5, %v5
  %v7 = tail call double @llvm.fma.f64(double %v5, double %v5, double %v6)
  %v8 = tail call double @llvm.sqrt.f64(double %v7)
  %v9 = fadd double %v5, %v8
  %v10 = fadd double %v9, 1.000000e+00
  %v11 = select i1 %v3, double %x, double %v10
  %v12 = bitcast double %v11 to i64
  %v13 = add i64 %v12, 2638147582215219
  %v14 = lshr i64 %v13, 52
  %v15 = or disjoint i64 %v14, 4841369599423283200
  %v16 = bitcast i64 %v15 to double
  %v17 = fadd double %v16, 0xC330000000000000
  %v18 = fadd double %v17, -1.023000e+03
  %v19 = and i64 %v13, 4503599627370495
  %v20 = add nuw nsw i64 %v19, 4604544271217802189
  %v21 = bitcast i64 %v20 to double
  %v22 = fadd double %v21, -1.000000e+00
  %v23 = fadd double %v10, -1.000000e+00
  %v24 = fsub double %v9, %v23
  %v25 = select i1 %v3, double 0.000000e+00, double %v24
  %v26 = fcmp ogt double %v17, 2.046000e+03
  %v27 = select i1 %v26, double 2.046000e+03, double %v17
  %v28 = fadd double %v27, 0x4330000000000000
  %v29 = bitcast double %v28 to i64
  %v30 = shl i64 %v29, 52
  %v31 = sub i64 9214364837600034816, %v30
  %v32 = bitcast i64 %v31 to double
  %v33 = fmul double %v25, %v32
  %v34 = fmul double %v22, %v22
  %v35 = fsub double %v34, %v22
  %v36 = fadd double %v22, 2.000000e+00
  %v37 = fdiv double %v22, %v36
  %v38 = fmul double %v37, %v37
  %v39 = tail call double @llvm.fma.f64(double %v38, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v40 = tail call double @llvm.fma.f64(double %v39, double %v38, double 0x3FC74664A41971F1)
  %v41 = tail call double @llvm.fma.f64(double %v40, double %v38, double 0x3FCC71C51D57B847)
  %v42 = tail call double @llvm.fma.f64(double %v41, double %v38, double 0x3FD249249422C781)
  %v43 = tail call double @llvm.fma.f64(double %v42, double %v38, double 0x3FD999999997F9E0)
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v38, double 0x3FE5555555555593)
  %v45 = fmul double %v34, 5.000000e-01
  %v46 = tail call double @llvm.fma.f64(double %v38, double %v44, double %v45)
  %v47 = tail call double @llvm.fma.f64(double %v18, double 0xBD48432A1B0E2634, double %v33)
  %v48 = tail call double @llvm.fma.f64(double %v37, double %v46, double %v47)
  %v49 = tail call double @llvm.fma.f64(double %v33, double %v35, double %v48)
  %v50 = fsub double %v49, %v45
  %v51 = fadd double %v22, %v50
  %v52 = tail call double @llvm.fma.f64(double %v18, double 0x3FE62E42FEFA4000, double %v51)
  %v53 = select i1 %v3, double 0x3FE62E42FEFA39EF, double 0.000000e+00
  %v54 = fadd double %v53, %v52
  %v55 = select i1 %v2, double %v54, double %x
  %v56 = select i1 %v1, double 0x7FF8000000000000, double %v55
  ret double %v56
}

define internal float @m_asin_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp ogt float %v1, 5.000000e-01
  %v3 = tail call float @llvm.fma.f32(float %v1, float -5.000000e-01, float 5.000000e-01)
  %v4 = fmul float %x, %x
  %v5 = select i1 %v2, float %v3, float %v4
  %v6 = tail call float @llvm.sqrt.f32(float %v5)
  %v7 = select i1 %v2, float %v6, float %v1
  %v8 = fmul float %v7, 2.000000e+00
  %v9 = fsub float 0x3FF921FB60000000, %v8
  %v10 = fmul float %v5, %v7
  %v11 = tail call float @llvm.fma.f32(float %v5, float 0x3FA595C200000000, float 0x3F98C3E7E0000000)
  %v12 = tail call float @llvm.fma.f32(float %v11, float %v5, float 0x3FA747BB60000000)
  %v13 = tail call float @llvm.fma.f32(float %v12, float %v5, float 0x3FB3302040000000)
  %v14 = tail call float @llvm.fma.f32(float %v13, float %v5, float 0x3FC5555C80000000)
  %v15 = fmul float %v10, %v14
  %v16 = fsub float 0x3FF921FB60000000, %v9
  %v17 = fsub float %v16, %v8
  %v18 = fadd float %v17, 0xBE6777A5C0000000
  %v19 = tail call float @llvm.fma.f32(float %v15, float -2.000000e+00, float %v18)
  %v20 = fadd float %v9, %v19
  %v21 = fadd float %v1, %v15
  %v22 = select i1 %v2, float %v20, float %v21
  %v23 = tail call float @llvm.copysign.f32(float %v22, float %x)
  ret float %v23
}

define internal double @m_asin_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp ogt double %v1, 5.000000e-01
  %v3 = tail call double @llvm.fma.f64(double %v1, double -5.000000e-01, double 5.000000e-01)
  %v4 = fmul double %x, %x
  %v5 = select i1 %v2, double %v3, double %v4
  %v6 = tail call double @llvm.sqrt.f64(double %v5)
  %v7 = select i1 %v2, double %v6, double %v1
  %v8 = fmul double %v7, 2.000000e+00
  %v9 = fsub double 0x3FF921FB54442D18, %v8
  %v10 = fmul double %v5, %v7
  %v11 = tail call double @llvm.fma.f64(double %v5, double 0x3FA056B68B178031, double 0xBF909CC8513C2F0D)
  %v12 = tail call double @llvm.fma.f64(double %v11, double %v5, double 0x3F93FEFE06798F09)
  %v13 = tail call double @llvm.fma.f64(double %v12, double %v5, double 0x3F7ABD74E9D75BA4)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v5, double 0x3F88EC1F0242BAB9)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v5, double 0x3F8C6FDF0BA7FF51)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v5, double 0x3F91C6BDEE146C25)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v5, double 0x3F96E89F477961EB)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v5, double 0x3F9F1C72C36323F5)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v5, double 0x3FA6DB6DB4285039)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v5, double 0x3FB333333336E6B8)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v5, double 0x3FC5555555555391)
  %v22 = fmul double %v10, %v21
  %v23 = fsub double 0x3FF921FB54442D18, %v9
  %v24 = fsub double %v23, %v8
  %v25 = fadd double %v24, 0x3C91A62633145C07
  %v26 = tail call double @llvm.fma.f64(double %v22, double -2.000000e+00, double %v25)
  %v27 = fadd double %v9, %v26
  %v28 = fadd double %v1, %v22
  %v29 = select i1 %v2, double %v27, double %v28
  %v30 = tail call double @llvm.copysign.f64(double %v29, double %x)
  ret double %v30
}

define internal float @m_asinh_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp one float %v1, 0x7FF0000000000000
  %v3 = fcmp ogt float %v1, 1.638400e+04
  %v4 = select i1 %v3, float 1.000000e+00, float %v1
  %v5 = tail call float @llvm.fma.f32(float %v4, float %v4, float 1.000000e+00)
  %v6 = tail call float @llvm.sqrt.f32(float %v5)
  %v7 = fadd float %v6, 1.000000e+00
  %v8 = fdiv float %v4, %v7
  %v9 = tail call float @llvm.fma.f32(float %v8, float %v4, float %v4)
  %v10 = fadd float %v9, 1.000000e+00
  %v11 = select i1 %v3, float %v1, float %v10
  %v12 = bitcast float %v11 to i32
  %v13 = add i32 %v12, 4913933
  %v14 = lshr i32 %v13, 23
  %v15 = or disjoint i32 %v14, 1258291200
  %v16 = bitcast i32 %v15 to float
  %v17 = fadd float %v16, 0xC160000000000000
  %v18 = fadd float %v17, -1.270000e+02
  %v19 = and i32 %v13, 8388607
  %v20 = add nuw nsw i32 %v19, 1060439283
  %v21 = bitcast i32 %v20 to float
  %v22 = fadd float %v21, -1.000000e+00
  %v23 = fadd float %v10, -1.000000e+00
  %v24 = fsub float %v9, %v23
  %v25 = select i1 %v3, float 0.000000e+00, float %v24
  %v26 = fcmp ogt float %v17, 2.540000e+02
  %v27 = select i1 %v26, float 2.540000e+02, float %v17
  %v28 = fadd float %v27, 0x4160000000000000
  %v29 = bitcast float %v28 to i32
  %v30 = shl i32 %v29, 23
  %v31 = sub i32 2130706432, %v30
  %v32 = bitcast i32 %v31 to float
  %v33 = fmul float %v25, %v32
  %v34 = fmul float %v22, %v22
  %v35 = fsub float %v34, %v22
  %v36 = fadd float %v22, 2.000000e+00
  %v37 = fdiv float %v22, %v36
  %v38 = fmul float %v37, %v37
  %v39 = tail call float @llvm.fma.f32(float %v38, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v40 = tail call float @llvm.fma.f32(float %v39, float %v38, float 0x3FE55557A0000000)
  %v41 = fmul float %v34, 5.000000e-01
  %v42 = tail call float @llvm.fma.f32(float %v38, float %v40, float %v41)
  %v43 = tail call float @llvm.fma.f32(float %v18, float 0x3EB7F7D1C0000000, float %v33)
  %v44 = tail call float @llvm.fma.f32(float %v37, float %v42, float %v43)
  %v45 = tail call float @llvm.fma.f32(float %v33, float %v35, float %v44)
  %v46 = fsub float %v45, %v41
  %v47 = fadd float %v22, %v46
  %v48 = tail call float @llvm.fma.f32(float %v18, float 0x3FE62E4000000000, float %v47)
  %v49 = select i1 %v3, float 0x3FE62E4300000000, float 0.000000e+00
  %v50 = fadd float %v49, %v48
  %v51 = select i1 %v2, float %v50, float %v1
  %v52 = tail call float @llvm.copysign.f32(float %v51, float %x)
  ret float %v52
}

define internal double @m_asinh_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp one double %v1, 0x7FF0000000000000
  %v3 = fcmp ogt double %v1, 0x41B0000000000000
  %v4 = select i1 %v3, double 1.000000e+00, double %v1
  %v5 = tail call double @llvm.fma.f64(double %v4, double %v4, double 1.000000e+00)
  %v6 = tail call double @llvm.sqrt.f64(double %v5)
  %v7 = fadd double %v6, 1.000000e+00
  %v8 = fdiv double %v4, %v7
  %v9 = tail call double @llvm.fma.f64(double %v8, double %v4, double %v4)
  %v10 = fadd double %v9, 1.000000e+00
  %v11 = select i1 %v3, double %v1, double %v10
  %v12 = bitcast double %v11 to i64
  %v13 = add i64 %v12, 2638147582215219
  %v14 = lshr i64 %v13, 52
  %v15 = or disjoint i64 %v14, 4841369599423283200
  %v16 = bitcast i64 %v15 to double
  %v17 = fadd double %v16, 0xC330000000000000
  %v18 = fadd double %v17, -1.023000e+03
  %v19 = and i64 %v13, 4503599627370495
  %v20 = add nuw nsw i64 %v19, 4604544271217802189
  %v21 = bitcast i64 %v20 to double
  %v22 = fadd double %v21, -1.000000e+00
  %v23 = fadd double %v10, -1.000000e+00
  %v24 = fsub double %v9, %v23
  %v25 = select i1 %v3, double 0.000000e+00, double %v24
  %v26 = fcmp ogt double %v17, 2.046000e+03
  %v27 = select i1 %v26, double 2.046000e+03, double %v17
  %v28 = fadd double %v27, 0x4330000000000000
  %v29 = bitcast double %v28 to i64
  %v30 = shl i64 %v29, 52
  %v31 = sub i64 9214364837600034816, %v30
  %v32 = bitcast i64 %v31 to double
  %v33 = fmul double %v25, %v32
  %v34 = fmul double %v22, %v22
  %v35 = fsub double %v34, %v22
  %v36 = fadd double %v22, 2.000000e+00
  %v37 = fdiv double %v22, %v36
  %v38 = fmul double %v37, %v37
  %v39 = tail call double @llvm.fma.f64(double %v38, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v40 = tail call double @llvm.fma.f64(double %v39, double %v38, double 0x3FC74664A41971F1)
  %v41 = tail call double @llvm.fma.f64(double %v40, double %v38, double 0x3FCC71C51D57B847)
  %v42 = tail call double @llvm.fma.f64(double %v41, double %v38, double 0x3FD249249422C781)
  %v43 = tail call double @llvm.fma.f64(double %v42, double %v38, double 0x3FD999999997F9E0)
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v38, double 0x3FE5555555555593)
  %v45 = fmul double %v34, 5.000000e-01
  %v46 = tail call double @llvm.fma.f64(double %v38, double %v44, double %v45)
  %v47 = tail call double @llvm.fma.f64(double %v18, double 0xBD48432A1B0E2634, double %v33)
  %v48 = tail call double @llvm.fma.f64(double %v37, double %v46, double %v47)
  %v49 = tail call double @llvm.fma.f64(double %v33, double %v35, double %v48)
  %v50 = fsub double %v49, %v45
  %v51 = fadd double %v22, %v50
  %v52 = tail call double @llvm.fma.f64(double %v18, double 0x3FE62E42FEFA4000, double %v51)
  %v53 = select i1 %v3, double 0x3FE62E42FEFA39EF, double 0.000000e+00
  %v54 = fadd double %v53, %v52
  %v55 = select i1 %v2, double %v54, double %v1
  %v56 = tail call double @llvm.copysign.f64(double %v55, double %x)
  ret double %v56
}

define internal float @m_atan2_float32(float %x, float %y) alwaysinline nounwind {
b1:
  %v1 = bitcast float %y to i32
  %v2 = icmp sgt i32 %v1, -1
  %v3 = tail call float @llvm.fabs.f32(float %x)
  %v4 = tail call float @llvm.fabs.f32(float %y)
  %v5 = fcmp oeq float %v3, %v4
  %v6 = fcmp oeq float %v3, 0x7FF0000000000000
  %v7 = and i1 %v6, %v5
  %v8 = select i1 %v7, float 1.000000e+00, float %v3
  %v9 = fcmp ogt float %v8, 0x47C0000000000000
  %v10 = fcmp oeq float %x, 0.000000e+00
  %v11 = fcmp oeq float %y, 0.000000e+00
  %v12 = and i1 %v10, %v11
  %v13 = or i1 %v12, %v7
  %v14 = select i1 %v13, float 1.000000e+00, float %v4
  %v15 = fcmp ogt float %v14, 0x47C0000000000000
  %v16 = or i1 %v9, %v15
  %v17 = select i1 %v16, float 1.250000e-01, float 1.000000e+00
  %v18 = fmul float %v8, %v17
  %v19 = fmul float %v14, %v17
  %v20 = fmul float %v19, 2.000000e+00
  %v21 = fcmp ule float %v18, %v20
  %v22 = fmul float %v19, 5.000000e-01
  %v23 = fcmp ogt float %v18, %v22
  %v24 = and i1 %v23, %v21
  %v25 = select i1 %v24, float 0x3FE921FB60000000, float 0.000000e+00
  %v26 = select i1 %v21, float %v25, float 0x3FF921FB60000000
  %v27 = fsub float 0x400921FB60000000, %v26
  %v28 = select i1 %v2, float %v26, float %v27
  %v29 = fsub float %v18, %v19
  %v30 = select i1 %v24, float %v29, float %v18
  %v31 = fneg float %v19
  %v32 = select i1 %v21, float %v30, float %v31
  %v33 = fadd float %v18, %v19
  %v34 = select i1 %v24, float %v33, float %v19
  %v35 = select i1 %v21, float %v34, float %v18
  %v36 = fdiv float %v32, %v35
  %v37 = fneg float %v36
  %v38 = select i1 %v2, float %v36, float %v37
  %v39 = fadd float %v28, %v38
  %v40 = fsub float %v28, %v39
  %v41 = fadd float %v38, %v40
  %v42 = fmul float %v36, %v36
  %v43 = fmul float %v36, %v42
  %v44 = tail call float @llvm.fma.f32(float %v42, float 0x3FA3F98CC0000000, float 0xBFB47F98A0000000)
  %v45 = tail call float @llvm.fma.f32(float %v44, float %v42, float 0x3FBC06DCC0000000)
  %v46 = tail call float @llvm.fma.f32(float %v45, float %v42, float 0xBFC244FF60000000)
  %v47 = tail call float @llvm.fma.f32(float %v46, float %v42, float 0x3FC9997420000000)
  %v48 = tail call float @llvm.fma.f32(float %v47, float %v42, float 0xBFD5555520000000)
  %v49 = select i1 %v24, float 0xBE5777A5C0000000, float 0.000000e+00
  %v50 = select i1 %v21, float %v49, float 0xBE6777A5C0000000
  %v51 = tail call float @llvm.fma.f32(float %v43, float %v48, float %v50)
  %v52 = fsub float 0xBE7777A5C0000000, %v51
  %v53 = select i1 %v2, float %v51, float %v52
  %v54 = fadd float %v41, %v53
  %v55 = fadd float %v39, %v54
  %v56 = tail call float @llvm.copysign.f32(float %v55, float %x)
  ret float %v56
}

define internal double @m_atan2_float64(double %x, double %y) alwaysinline nounwind {
b1:
  %v1 = bitcast double %y to i64
  %v2 = icmp sgt i64 %v1, -1
  %v3 = tail call double @llvm.fabs.f64(double %x)
  %v4 = tail call double @llvm.fabs.f64(double %y)
  %v5 = fcmp oeq double %v3, %v4
  %v6 = fcmp oeq double %v3, 0x7FF0000000000000
  %v7 = and i1 %v6, %v5
  %v8 = select i1 %v7, double 1.000000e+00, double %v3
  %v9 = fcmp ogt double %v8, 0x7FC0000000000000
  %v10 = fcmp oeq double %x, 0.000000e+00
  %v11 = fcmp oeq double %y, 0.000000e+00
  %v12 = and i1 %v10, %v11
  %v13 = or i1 %v12, %v7
  %v14 = select i1 %v13, double 1.000000e+00, double %v4
  %v15 = fcmp ogt double %v14, 0x7FC0000000000000
  %v16 = or i1 %v9, %v15
  %v17 = select i1 %v16, double 1.250000e-01, double 1.000000e+00
  %v18 = fmul double %v8, %v17
  %v19 = fmul double %v14, %v17
  %v20 = fmul double %v19, 2.000000e+00
  %v21 = fcmp ule double %v18, %v20
  %v22 = fmul double %v19, 5.000000e-01
  %v23 = fcmp ogt double %v18, %v22
  %v24 = and i1 %v23, %v21
  %v25 = select i1 %v24, double 0x3FE921FB54442D18, double 0.000000e+00
  %v26 = select i1 %v21, double %v25, double 0x3FF921FB54442D18
  %v27 = fsub double 0x400921FB54442D18, %v26
  %v28 = select i1 %v2, double %v26, double %v27
  %v29 = fsub double %v18, %v19
  %v30 = select i1 %v24, double %v29, double %v18
  %v31 = fneg double %v19
  %v32 = select i1 %v21, double %v30, double %v31
  %v33 = fadd double %v18, %v19
  %v34 = select i1 %v24, double %v33, double %v19
  %v35 = select i1 %v21, double %v34, double %v18
  %v36 = fdiv double %v32, %v35
  %v37 = fneg double %v36
  %v38 = select i1 %v2, double %v36, double %v37
  %v39 = fadd double %v28, %v38
  %v40 = fsub double %v28, %v39
  %v41 = fadd double %v38, %v40
  %v42 = fmul double %v36, %v36
  %v43 = fmul double %v36, %v42
  %v44 = tail call double @llvm.fma.f64(double %v42, double 0x3F84B61CD714AC50, double 0xBF9C167C03D8CE54)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v42, double 0x3FA56EE69188FC20)
  %v46 = tail call double @llvm.fma.f64(double %v45, double %v42, double 0xBFAA395D3975CD8E)
  %v47 = tail call double @llvm.fma.f64(double %v46, double %v42, double 0x3FADFE8E71CC4205)
  %v48 = tail call double @llvm.fma.f64(double %v47, double %v42, double 0xBFB10F314B7296B0)
  %v49 = tail call double @llvm.fma.f64(double %v48, double %v42, double 0x3FB3B113CC609D05)
  %v50 = tail call double @llvm.fma.f64(double %v49, double %v42, double 0xBFB745CF4BC05254)
  %v51 = tail call double @llvm.fma.f64(double %v50, double %v42, double 0x3FBC71C70905A948)
  %v52 = tail call double @llvm.fma.f64(double %v51, double %v42, double 0xBFC249249215C808)
  %v53 = tail call double @llvm.fma.f64(double %v52, double %v42, double 0x3FC9999999991117)
  %v54 = tail call double @llvm.fma.f64(double %v53, double %v42, double 0xBFD5555555555516)
  %v55 = select i1 %v24, double 0x3C81A62633145C07, double 0.000000e+00
  %v56 = select i1 %v21, double %v55, double 0x3C91A62633145C07
  %v57 = tail call double @llvm.fma.f64(double %v43, double %v54, double %v56)
  %v58 = fsub double 0x3CA1A62633145C07, %v57
  %v59 = select i1 %v2, double %v57, double %v58
  %v60 = fadd double %v41, %v59
  %v61 = fadd double %v39, %v60
  %v62 = tail call double @llvm.copysign.f64(double %v61, double %x)
  ret double %v62
}

define internal float @m_atan_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp ule float %v1, 2.000000e+00
  %v3 = fcmp ogt float %v1, 5.000000e-01
  %v4 = and i1 %v3, %v2
  %v5 = select i1 %v4, float 0x3FE921FB60000000, float 0.000000e+00
  %v6 = select i1 %v2, float %v5, float 0x3FF921FB60000000
  %v7 = fadd float %v1, -1.000000e+00
  %v8 = select i1 %v4, float %v7, float %v1
  %v9 = select i1 %v2, float %v8, float -1.000000e+00
  %v10 = fadd float %v1, 1.000000e+00
  %v11 = select i1 %v4, float %v10, float 1.000000e+00
  %v12 = select i1 %v2, float %v11, float %v1
  %v13 = fdiv float %v9, %v12
  %v14 = fmul float %v13, %v13
  %v15 = fmul float %v13, %v14
  %v16 = tail call float @llvm.fma.f32(float %v14, float 0x3FA3F98CC0000000, float 0xBFB47F98A0000000)
  %v17 = tail call float @llvm.fma.f32(float %v16, float %v14, float 0x3FBC06DCC0000000)
  %v18 = tail call float @llvm.fma.f32(float %v17, float %v14, float 0xBFC244FF60000000)
  %v19 = tail call float @llvm.fma.f32(float %v18, float %v14, float 0x3FC9997420000000)
  %v20 = tail call float @llvm.fma.f32(float %v19, float %v14, float 0xBFD5555520000000)
  %v21 = select i1 %v4, float 0xBE5777A5C0000000, float 0.000000e+00
  %v22 = select i1 %v2, float %v21, float 0xBE6777A5C0000000
  %v23 = tail call float @llvm.fma.f32(float %v15, float %v20, float %v22)
  %v24 = fadd float %v13, %v23
  %v25 = fadd float %v6, %v24
  %v26 = tail call float @llvm.copysign.f32(float %v25, float %x)
  ret float %v26
}

define internal double @m_atan_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp ule double %v1, 2.000000e+00
  %v3 = fcmp ogt double %v1, 5.000000e-01
  %v4 = and i1 %v3, %v2
  %v5 = select i1 %v4, double 0x3FE921FB54442D18, double 0.000000e+00
  %v6 = select i1 %v2, double %v5, double 0x3FF921FB54442D18
  %v7 = fadd double %v1, -1.000000e+00
  %v8 = select i1 %v4, double %v7, double %v1
  %v9 = select i1 %v2, double %v8, double -1.000000e+00
  %v10 = fadd double %v1, 1.000000e+00
  %v11 = select i1 %v4, double %v10, double 1.000000e+00
  %v12 = select i1 %v2, double %v11, double %v1
  %v13 = fdiv double %v9, %v12
  %v14 = fmul double %v13, %v13
  %v15 = fmul double %v13, %v14
  %v16 = tail call double @llvm.fma.f64(double %v14, double 0x3F84B61CD714AC50, double 0xBF9C167C03D8CE54)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v14, double 0x3FA56EE69188FC20)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v14, double 0xBFAA395D3975CD8E)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v14, double 0x3FADFE8E71CC4205)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v14, double 0xBFB10F314B7296B0)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v14, double 0x3FB3B113CC609D05)
  %v22 = tail call double @llvm.fma.f64(double %v21, double %v14, double 0xBFB745CF4BC05254)
  %v23 = tail call double @llvm.fma.f64(double %v22, double %v14, double 0x3FBC71C70905A948)
  %v24 = tail call double @llvm.fma.f64(double %v23, double %v14, double 0xBFC249249215C808)
  %v25 = tail call double @llvm.fma.f64(double %v24, double %v14, double 0x3FC9999999991117)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v14, double 0xBFD5555555555516)
  %v27 = select i1 %v4, double 0x3C81A62633145C07, double 0.000000e+00
  %v28 = select i1 %v2, double %v27, double 0x3C91A62633145C07
  %v29 = tail call double @llvm.fma.f64(double %v15, double %v26, double %v28)
  %v30 = fadd double %v13, %v29
  %v31 = fadd double %v6, %v30
  %v32 = tail call double @llvm.copysign.f64(double %v31, double %x)
  ret double %v32
}

define internal float @m_atanh_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fadd float %v1, %v1
  %v3 = fsub float 1.000000e+00, %v1
  %v4 = fdiv float %v2, %v3
  %v5 = fadd float %v4, 1.000000e+00
  %v6 = fcmp oeq float %v5, 0.000000e+00
  %v7 = fcmp olt float %v5, 0.000000e+00
  %v8 = fcmp one float %v5, 0x7FF0000000000000
  %v9 = bitcast float %v5 to i32
  %v10 = add i32 %v9, 4913933
  %v11 = lshr i32 %v10, 23
  %v12 = or disjoint i32 %v11, 1258291200
  %v13 = bitcast i32 %v12 to float
  %v14 = fadd float %v13, 0xC160000000000000
  %v15 = fadd float %v14, -1.270000e+02
  %v16 = and i32 %v10, 8388607
  %v17 = add nuw nsw i32 %v16, 1060439283
  %v18 = bitcast i32 %v17 to float
  %v19 = fadd float %v18, -1.000000e+00
  %v20 = fadd float %v5, -1.000000e+00
  %v21 = fsub float %v4, %v20
  %v22 = fcmp ogt float %v14, 2.540000e+02
  %v23 = select i1 %v22, float 2.540000e+02, float %v14
  %v24 = fadd float %v23, 0x4160000000000000
  %v25 = bitcast float %v24 to i32
  %v26 = shl i32 %v25, 23
  %v27 = sub i32 2130706432, %v26
  %v28 = bitcast i32 %v27 to float
  %v29 = fmul float %v21, %v28
  %v30 = fmul float %v19, %v19
  %v31 = fsub float %v30, %v19
  %v32 = fadd float %v19, 2.000000e+00
  %v33 = fdiv float %v19, %v32
  %v34 = fmul float %v33, %v33
  %v35 = tail call float @llvm.fma.f32(float %v34, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v36 = tail call float @llvm.fma.f32(float %v35, float %v34, float 0x3FE55557A0000000)
  %v37 = fmul float %v30, 5.000000e-01
  %v38 = tail call float @llvm.fma.f32(float %v34, float %v36, float %v37)
  %v39 = tail call float @llvm.fma.f32(float %v15, float 0x3EB7F7D1C0000000, float %v29)
  %v40 = tail call float @llvm.fma.f32(float %v33, float %v38, float %v39)
  %v41 = tail call float @llvm.fma.f32(float %v29, float %v31, float %v40)
  %v42 = fsub float %v41, %v37
  %v43 = fadd float %v19, %v42
  %v44 = tail call float @llvm.fma.f32(float %v15, float 0x3FE62E4000000000, float %v43)
  %v45 = select i1 %v8, float %v44, float %v5
  %v46 = fmul float %v45, 5.000000e-01
  %v47 = select i1 %v7, float 0x7FF8000000000000, float %v46
  %v48 = select i1 %v6, float 0xFFF0000000000000, float %v47
  %v49 = tail call float @llvm.copysign.f32(float %v48, float %x)
  ret float %v49
}

define internal double @m_atanh_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fadd double %v1, %v1
  %v3 = fsub double 1.000000e+00, %v1
  %v4 = fdiv double %v2, %v3
  %v5 = fadd double %v4, 1.000000e+00
  %v6 = fcmp oeq double %v5, 0.000000e+00
  %v7 = fcmp olt double %v5, 0.000000e+00
  %v8 = fcmp one double %v5, 0x7FF0000000000000
  %v9 = bitcast double %v5 to i64
  %v10 = add i64 %v9, 2638147582215219
  %v11 = lshr i64 %v10, 52
  %v12 = or disjoint i64 %v11, 4841369599423283200
  %v13 = bitcast i64 %v12 to double
  %v14 = fadd double %v13, 0xC330000000000000
  %v15 = fadd double %v14, -1.023000e+03
  %v16 = and i64 %v10, 4503599627370495
  %v17 = add nuw nsw i64 %v16, 4604544271217802189
  %v18 = bitcast i64 %v17 to double
  %v19 = fadd double %v18, -1.000000e+00
  %v20 = fadd double %v5, -1.000000e+00
  %v21 = fsub double %v4, %v20
  %v22 = fcmp ogt double %v14, 2.046000e+03
  %v23 = select i1 %v22, double 2.046000e+03, double %v14
  %v24 = fadd double %v23, 0x4330000000000000
  %v25 = bitcast double %v24 to i64
  %v26 = shl i64 %v25, 52
  %v27 = sub i64 9214364837600034816, %v26
  %v28 = bitcast i64 %v27 to double
  %v29 = fmul double %v21, %v28
  %v30 = fmul double %v19, %v19
  %v31 = fsub double %v30, %v19
  %v32 = fadd double %v19, 2.000000e+00
  %v33 = fdiv double %v19, %v32
  %v34 = fmul double %v33, %v33
  %v35 = tail call double @llvm.fma.f64(double %v34, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v36 = tail call double @llvm.fma.f64(double %v35, double %v34, double 0x3FC74664A41971F1)
  %v37 = tail call double @llvm.fma.f64(double %v36, double %v34, double 0x3FCC71C51D57B847)
  %v38 = tail call double @llvm.fma.f64(double %v37, double %v34, double 0x3FD249249422C781)
  %v39 = tail call double @llvm.fma.f64(double %v38, double %v34, double 0x3FD999999997F9E0)
  %v40 = tail call double @llvm.fma.f64(double %v39, double %v34, double 0x3FE5555555555593)
  %v41 = fmul double %v30, 5.000000e-01
  %v42 = tail call double @llvm.fma.f64(double %v34, double %v40, double %v41)
  %v43 = tail call double @llvm.fma.f64(double %v15, double 0xBD48432A1B0E2634, double %v29)
  %v44 = tail call double @llvm.fma.f64(double %v33, double %v42, double %v43)
  %v45 = tail call double @llvm.fma.f64(double %v29, double %v31, double %v44)
  %v46 = fsub double %v45, %v41
  %v47 = fadd double %v19, %v46
  %v48 = tail call double @llvm.fma.f64(double %v15, double 0x3FE62E42FEFA4000, double %v47)
  %v49 = select i1 %v8, double %v48, double %v5
  %v50 = fmul double %v49, 5.000000e-01
  %v51 = select i1 %v7, double 0x7FF8000000000000, double %v50
  %v52 = select i1 %v6, double 0xFFF0000000000000, double %v51
  %v53 = tail call double @llvm.copysign.f64(double %v52, double %x)
  ret double %v53
}

define internal float @m_cbrt_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call i1 @llvm.is.fpclass.f32(float %x, i32 408)
  %v2 = tail call float @llvm.fabs.f32(float %x)
  %v3 = fcmp olt float %v2, 0x3810000000000000
  %v4 = fmul float %v2, 0x4170000000000000
  %v5 = select i1 %v3, float %v4, float %v2
  %v6 = bitcast float %v5 to i32
  %v7 = add i32 %v6, 4913933
  %v8 = and i32 %v7, 8388607
  %v9 = add nuw nsw i32 %v8, 1060439283
  %v10 = bitcast i32 %v9 to float
  %v11 = fadd float %v10, -1.000000e+00
  %v12 = tail call float @llvm.fma.f32(float %v11, float 0xBFA3114340000000, float 0x3FB0CF3AA0000000)
  %v13 = tail call float @llvm.fma.f32(float %v12, float %v11, float 0xBFBC9228E0000000)
  %v14 = tail call float @llvm.fma.f32(float %v13, float %v11, float 0x3FD5538BE0000000)
  %v15 = tail call float @llvm.fma.f32(float %v14, float %v11, float 0x3FF0000560000000)
  %v16 = lshr i32 %v7, 23
  %v17 = or disjoint i32 %v16, 1258291200
  %v18 = bitcast i32 %v17 to float
  %v19 = fadd float %v18, 0xC160000000000000
  %v20 = select i1 %v3, float 1.510000e+02, float 1.270000e+02
  %v21 = fsub float %v19, %v20
  %v22 = tail call float @llvm.fma.f32(float %v21, float 0x3FD5555560000000, float 0x4168000000000000)
  %v23 = fadd float %v22, 0xC168000000000000
  %v24 = tail call float @llvm.fma.f32(float %v23, float -3.000000e+00, float %v21)
  %v25 = fcmp ogt float %v24, 0.000000e+00
  %v26 = fcmp olt float %v24, 0.000000e+00
  %v27 = select i1 %v26, float 0x3FE965FEA0000000, float 1.000000e+00
  %v28 = select i1 %v25, float 0x3FF428A300000000, float %v27
  %v29 = fmul float %v15, %v28
  %v30 = fneg float %v29
  %v31 = fmul float %v29, %v30
  %v32 = fadd float %v11, 1.000000e+00
  %v33 = select i1 %v26, float 5.000000e-01, float 1.000000e+00
  %v34 = select i1 %v25, float 2.000000e+00, float %v33
  %v35 = fmul float %v32, %v34
  %v36 = tail call float @llvm.fma.f32(float %v31, float %v29, float %v35)
  %v37 = tail call float @llvm.fma.f32(float %v29, float %v29, float %v31)
  %v38 = fmul float %v29, %v37
  %v39 = fsub float %v36, %v38
  %v40 = fdiv float %v39, %v35
  %v41 = fmul float %v29, %v40
  %v42 = tail call float @llvm.fma.f32(float %v40, float 0x3FCC71C720000000, float 0x3FD5555560000000)
  %v43 = tail call float @llvm.fma.f32(float %v41, float %v42, float %v29)
  %v44 = bitcast float %v22 to i32
  %v45 = shl i32 %v44, 23
  %v46 = add i32 %v45, 1065353216
  %v47 = bitcast i32 %v46 to float
  %v48 = fmul float %v43, %v47
  %v49 = select i1 %v1, float %v48, float %v2
  %v50 = tail call float @llvm.copysign.f32(float %v49, float %x)
  ret float %v50
}

define internal double @m_cbrt_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call i1 @llvm.is.fpclass.f64(double %x, i32 408)
  %v2 = tail call double @llvm.fabs.f64(double %x)
  %v3 = fcmp olt double %v2, 0x10000000000000
  %v4 = fmul double %v2, 0x4340000000000000
  %v5 = select i1 %v3, double %v4, double %v2
  %v6 = bitcast double %v5 to i64
  %v7 = add i64 %v6, 2638147582215219
  %v8 = and i64 %v7, 4503599627370495
  %v9 = add nuw nsw i64 %v8, 4604544271217802189
  %v10 = bitcast i64 %v9 to double
  %v11 = fadd double %v10, -1.000000e+00
  %v12 = tail call double @llvm.fma.f64(double %v11, double 0xBF8A23F8A4FB1D49, double 0x3F9627852E3BC82E)
  %v13 = tail call double @llvm.fma.f64(double %v12, double %v11, double 0xBF98EC138D6390B3)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v11, double 0x3F9EBCB48BF4FD11)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v11, double 0xBFA50A7F2D6D379D)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v11, double 0x3FAF9B5DC1143B7C)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v11, double 0xBFBC71D9ED6E94A0)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v11, double 0x3FD55555367E2034)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v11, double 0x3FF0000000E85D0D)
  %v20 = lshr i64 %v7, 52
  %v21 = or disjoint i64 %v20, 4841369599423283200
  %v22 = bitcast i64 %v21 to double
  %v23 = fadd double %v22, 0xC330000000000000
  %v24 = select i1 %v3, double 1.076000e+03, double 1.023000e+03
  %v25 = fsub double %v23, %v24
  %v26 = tail call double @llvm.fma.f64(double %v25, double 0x3FD5555555555555, double 0x4338000000000000)
  %v27 = fadd double %v26, 0xC338000000000000
  %v28 = tail call double @llvm.fma.f64(double %v27, double -3.000000e+00, double %v25)
  %v29 = fcmp ogt double %v28, 0.000000e+00
  %v30 = fcmp olt double %v28, 0.000000e+00
  %v31 = select i1 %v30, double 0x3FE965FEA53D6E3D, double 1.000000e+00
  %v32 = select i1 %v29, double 0x3FF428A2F98D728B, double %v31
  %v33 = fmul double %v32, %v19
  %v34 = fneg double %v33
  %v35 = fmul double %v33, %v34
  %v36 = fadd double %v11, 1.000000e+00
  %v37 = select i1 %v30, double 5.000000e-01, double 1.000000e+00
  %v38 = select i1 %v29, double 2.000000e+00, double %v37
  %v39 = fmul double %v36, %v38
  %v40 = tail call double @llvm.fma.f64(double %v35, double %v33, double %v39)
  %v41 = tail call double @llvm.fma.f64(double %v33, double %v33, double %v35)
  %v42 = fmul double %v33, %v41
  %v43 = fsub double %v40, %v42
  %v44 = fdiv double %v43, %v39
  %v45 = fmul double %v33, %v44
  %v46 = tail call double @llvm.fma.f64(double %v44, double 0x3FCC71C71C71C71C, double 0x3FD5555555555555)
  %v47 = tail call double @llvm.fma.f64(double %v45, double %v46, double %v33)
  %v48 = bitcast double %v26 to i64
  %v49 = shl i64 %v48, 52
  %v50 = add i64 %v49, 4607182418800017408
  %v51 = bitcast i64 %v50 to double
  %v52 = fmul double %v47, %v51
  %v53 = select i1 %v1, double %v52, double %v2
  %v54 = tail call double @llvm.copysign.f64(double %v53, double %x)
  ret double %v54
}

define internal float @m_ceil_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.ceil.f32(float %x)
  ret float %v1
}

define internal double @m_ceil_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.ceil.f64(double %x)
  ret double %v1
}

define internal float @m_copysign_float32(float %x, float %y) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.copysign.f32(float %x, float %y)
  ret float %v1
}

define internal double @m_copysign_float64(double %x, double %y) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.copysign.f64(double %x, double %y)
  ret double %v1
}

define internal float @m_cos_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = bitcast float %v1 to i32
  %v3 = lshr i32 %v2, 23
  %v4 = tail call i32 @llvm.usub.sat.i32(i32 %v3, i32 127)
  %v5 = tail call i32 @llvm.umin.i32(i32 %v4, i32 127)
  %v6 = zext nneg i32 %v5 to i64
  %v7 = getelementptr float, ptr @t_8299d0e7d20d, i64 %v6
  %v8 = load float, ptr %v7, align 4
  %v9 = getelementptr float, ptr @t_0f89f25d59ce, i64 %v6
  %v10 = load float, ptr %v9, align 4
  %v11 = getelementptr float, ptr @t_be83847ff80a, i64 %v6
  %v12 = load float, ptr %v11, align 4
  %v13 = fcmp ole float %v1, 1.310720e+05
  %v14 = tail call float @llvm.fma.f32(float %x, float 0x3FE45F3060000000, float 0x4168000000000000)
  %v15 = and i32 %v2, 8388607
  %v16 = or disjoint i32 %v15, 1258291200
  %v17 = bitcast i32 %v16 to float
  %v18 = tail call float @llvm.copysign.f32(float %v17, float %x)
  %v19 = fmul float %v18, %v8
  %v20 = fmul float %v19, 2.500000e-01
  %v21 = tail call float @llvm.roundeven.f32(float %v20)
  %v22 = fmul float %v21, 4.000000e+00
  %v23 = fsub float %v19, %v22
  %v24 = fneg float %v19
  %v25 = tail call float @llvm.fma.f32(float %v18, float %v8, float %v24)
  %v26 = fmul float %v25, 2.500000e-01
  %v27 = tail call float @llvm.roundeven.f32(float %v26)
  %v28 = fmul float %v27, 4.000000e+00
  %v29 = fsub float %v25, %v28
  %v30 = fadd float %v23, %v29
  %v31 = fmul float %v18, %v10
  %v32 = fmul float %v31, 2.500000e-01
  %v33 = tail call float @llvm.roundeven.f32(float %v32)
  %v34 = fmul float %v33, 4.000000e+00
  %v35 = fsub float %v31, %v34
  %v36 = fadd float %v35, %v30
  %v37 = tail call float @llvm.roundeven.f32(float %v36)
  %v38 = fadd float %v37, 0x4168000000000000
  %v39 = select i1 %v13, float %v14, float %v38
  %v40 = bitcast float %v39 to i32
  %v41 = shl i32 %v40, 30
  %v42 = add i32 %v41, 1073741824
  %v43 = and i32 %v42, -2147483648
  %v44 = and i32 %v40, 1
  %v45 = icmp eq i32 %v44, 0
  %v46 = fadd float %v14, 0xC168000000000000
  %v47 = fneg float %v46
  %v48 = tail call float @llvm.fma.f32(float %v47, float 0x3FF921FB60000000, float %x)
  %v49 = fmul float %v46, 0xBE6777A5C0000000
  %v50 = fsub float %v48, %v49
  %v51 = fcmp one float %v1, 0x7FF0000000000000
  %v52 = fsub float %v30, %v37
  %v53 = fadd float %v35, %v52
  %v54 = fneg float %v31
  %v55 = tail call float @llvm.fma.f32(float %v18, float %v10, float %v54)
  %v56 = fadd float %v55, %v53
  %v57 = fmul float %v18, %v12
  %v58 = fadd float %v57, %v56
  %v59 = fsub float %v53, %v52
  %v60 = fsub float %v53, %v59
  %v61 = fsub float %v52, %v60
  %v62 = fsub float %v35, %v59
  %v63 = fadd float %v62, %v61
  %v64 = fsub float %v56, %v53
  %v65 = fsub float %v56, %v64
  %v66 = fsub float %v53, %v65
  %v67 = fsub float %v55, %v64
  %v68 = fadd float %v67, %v66
  %v69 = fadd float %v63, %v68
  %v70 = fsub float %v58, %v56
  %v71 = fsub float %v58, %v70
  %v72 = fsub float %v56, %v71
  %v73 = fsub float %v57, %v70
  %v74 = fadd float %v73, %v72
  %v75 = fadd float %v69, %v74
  %v76 = fneg float %v57
  %v77 = tail call float @llvm.fma.f32(float %v18, float %v12, float %v76)
  %v78 = fadd float %v77, %v75
  %v79 = fadd float %v58, %v78
  %v80 = fmul float %v79, 0x3FF921FB60000000
  %v81 = select i1 %v51, float %v80, float 0x7FF8000000000000
  %v82 = select i1 %v13, float %v50, float %v81
  %v83 = fmul float %v82, %v82
  %v84 = fneg float %v83
  %v85 = fmul float %v83, %v84
  %v86 = tail call float @llvm.fma.f32(float %v83, float 0x3EF99E0DA0000000, float 0xBF56C0C1A0000000)
  %v87 = tail call float @llvm.fma.f32(float %v86, float %v83, float 0x3FA55554A0000000)
  %v88 = fmul float %v83, 5.000000e-01
  %v89 = tail call float @llvm.fma.f32(float %v85, float %v87, float %v88)
  %v90 = fsub float 1.000000e+00, %v89
  %v91 = fmul float %v82, %v83
  %v92 = tail call float @llvm.fma.f32(float %v83, float 0xBF2991BD40000000, float 0x3F81106C60000000)
  %v93 = tail call float @llvm.fma.f32(float %v92, float %v83, float 0xBFC5555440000000)
  %v94 = fsub float %v50, %v48
  %v95 = fsub float %v50, %v94
  %v96 = fsub float %v48, %v95
  %v97 = fadd float %v49, %v94
  %v98 = fsub float %v96, %v97
  %v99 = fneg float %v49
  %v100 = tail call float @llvm.fma.f32(float %v46, float 0xBE6777A5C0000000, float %v99)
  %v101 = fsub float %v98, %v100
  %v102 = tail call float @llvm.fma.f32(float %v47, float 0xBCDEE59DA0000000, float %v101)
  %v103 = fneg float %v80
  %v104 = tail call float @llvm.fma.f32(float %v79, float 0x3FF921FB60000000, float %v103)
  %v105 = fsub float %v79, %v58
  %v106 = fsub float %v78, %v105
  %v107 = fmul float %v106, 0x3FF921FB60000000
  %v108 = tail call float @llvm.fma.f32(float %v79, float 0xBE6777A5C0000000, float %v107)
  %v109 = fadd float %v104, %v108
  %v110 = select i1 %v13, float %v102, float %v109
  %v111 = tail call float @llvm.fma.f32(float %v91, float %v93, float %v110)
  %v112 = fadd float %v82, %v111
  %v113 = select i1 %v45, float %v90, float %v112
  %v114 = bitcast float %v113 to i32
  %v115 = xor i32 %v43, %v114
  %v116 = bitcast i32 %v115 to float
  ret float %v116
}

define internal double @m_cos_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = bitcast double %v1 to i64
  %v3 = lshr i64 %v2, 52
  %v4 = tail call i64 @llvm.usub.sat.i64(i64 %v3, i64 1023)
  %v5 = tail call i64 @llvm.umin.i64(i64 %v4, i64 1023)
  %v6 = getelementptr double, ptr @t_811810fe58b0, i64 %v5
  %v7 = load double, ptr %v6, align 8
  %v8 = getelementptr double, ptr @t_2dd00f76f2e8, i64 %v5
  %v9 = load double, ptr %v8, align 8
  %v10 = getelementptr double, ptr @t_d4ec6e104c63, i64 %v5
  %v11 = load double, ptr %v10, align 8
  %v12 = fcmp ole double %v1, 0x4270000000000000
  %v13 = tail call double @llvm.fma.f64(double %x, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v14 = and i64 %v2, 4503599627370495
  %v15 = or disjoint i64 %v14, 4841369599423283200
  %v16 = bitcast i64 %v15 to double
  %v17 = tail call double @llvm.copysign.f64(double %v16, double %x)
  %v18 = fmul double %v17, %v7
  %v19 = fmul double %v18, 2.500000e-01
  %v20 = tail call double @llvm.roundeven.f64(double %v19)
  %v21 = fmul double %v20, 4.000000e+00
  %v22 = fsub double %v18, %v21
  %v23 = fneg double %v18
  %v24 = tail call double @llvm.fma.f64(double %v17, double %v7, double %v23)
  %v25 = fmul double %v24, 2.500000e-01
  %v26 = tail call double @llvm.roundeven.f64(double %v25)
  %v27 = fmul double %v26, 4.000000e+00
  %v28 = fsub double %v24, %v27
  %v29 = fadd double %v22, %v28
  %v30 = fmul double %v17, %v9
  %v31 = fmul double %v30, 2.500000e-01
  %v32 = tail call double @llvm.roundeven.f64(double %v31)
  %v33 = fmul double %v32, 4.000000e+00
  %v34 = fsub double %v30, %v33
  %v35 = fadd double %v34, %v29
  %v36 = tail call double @llvm.roundeven.f64(double %v35)
  %v37 = fadd double %v36, 0x4338000000000000
  %v38 = select i1 %v12, double %v13, double %v37
  %v39 = bitcast double %v38 to i64
  %v40 = shl i64 %v39, 62
  %v41 = add i64 %v40, 4611686018427387904
  %v42 = and i64 %v41, -9223372036854775808
  %v43 = and i64 %v39, 1
  %v44 = icmp eq i64 %v43, 0
  %v45 = fadd double %v13, 0xC338000000000000
  %v46 = fneg double %v45
  %v47 = tail call double @llvm.fma.f64(double %v46, double 0x3FF921FB54442D18, double %x)
  %v48 = fmul double %v45, 0x3C91A62633145C07
  %v49 = fsub double %v47, %v48
  %v50 = fcmp one double %v1, 0x7FF0000000000000
  %v51 = fsub double %v29, %v36
  %v52 = fadd double %v34, %v51
  %v53 = fneg double %v30
  %v54 = tail call double @llvm.fma.f64(double %v17, double %v9, double %v53)
  %v55 = fadd double %v54, %v52
  %v56 = fmul double %v17, %v11
  %v57 = fadd double %v56, %v55
  %v58 = fsub double %v52, %v51
  %v59 = fsub double %v52, %v58
  %v60 = fsub double %v51, %v59
  %v61 = fsub double %v34, %v58
  %v62 = fadd double %v61, %v60
  %v63 = fsub double %v55, %v52
  %v64 = fsub double %v55, %v63
  %v65 = fsub double %v52, %v64
  %v66 = fsub double %v54, %v63
  %v67 = fadd double %v66, %v65
  %v68 = fadd double %v62, %v67
  %v69 = fsub double %v57, %v55
  %v70 = fsub double %v57, %v69
  %v71 = fsub double %v55, %v70
  %v72 = fsub double %v56, %v69
  %v73 = fadd double %v72, %v71
  %v74 = fadd double %v68, %v73
  %v75 = fneg double %v56
  %v76 = tail call double @llvm.fma.f64(double %v17, double %v11, double %v75)
  %v77 = fadd double %v76, %v74
  %v78 = fadd double %v57, %v77
  %v79 = fmul double %v78, 0x3FF921FB54442D18
  %v80 = select i1 %v50, double %v79, double 0x7FF8000000000000
  %v81 = select i1 %v12, double %v49, double %v80
  %v82 = fmul double %v81, %v81
  %v83 = fneg double %v82
  %v84 = fmul double %v82, %v83
  %v85 = tail call double @llvm.fma.f64(double %v82, double 0xBDA8F941EA99C891, double 0x3E21EE9B9E18B408)
  %v86 = tail call double @llvm.fma.f64(double %v85, double %v82, double 0xBE927E4F7C234A35)
  %v87 = tail call double @llvm.fma.f64(double %v86, double %v82, double 0x3EFA01A019C515A1)
  %v88 = tail call double @llvm.fma.f64(double %v87, double %v82, double 0xBF56C16C16C14DC4)
  %v89 = tail call double @llvm.fma.f64(double %v88, double %v82, double 0x3FA555555555554A)
  %v90 = fmul double %v82, 5.000000e-01
  %v91 = tail call double @llvm.fma.f64(double %v84, double %v89, double %v90)
  %v92 = fsub double 1.000000e+00, %v91
  %v93 = fmul double %v81, %v82
  %v94 = tail call double @llvm.fma.f64(double %v82, double 0x3DE5D7E2DFD02324, double 0xBE5AE5E1F73BF4AB)
  %v95 = tail call double @llvm.fma.f64(double %v94, double %v82, double 0x3EC71DE351EED7F2)
  %v96 = tail call double @llvm.fma.f64(double %v95, double %v82, double 0xBF2A01A019BAD8A1)
  %v97 = tail call double @llvm.fma.f64(double %v96, double %v82, double 0x3F8111111110F573)
  %v98 = tail call double @llvm.fma.f64(double %v97, double %v82, double 0xBFC5555555555547)
  %v99 = fsub double %v49, %v47
  %v100 = fsub double %v49, %v99
  %v101 = fsub double %v47, %v100
  %v102 = fadd double %v48, %v99
  %v103 = fsub double %v101, %v102
  %v104 = fneg double %v48
  %v105 = tail call double @llvm.fma.f64(double %v45, double 0x3C91A62633145C07, double %v104)
  %v106 = fsub double %v103, %v105
  %v107 = tail call double @llvm.fma.f64(double %v46, double 0xB91F1976B7ED9000, double %v106)
  %v108 = fneg double %v79
  %v109 = tail call double @llvm.fma.f64(double %v78, double 0x3FF921FB54442D18, double %v108)
  %v110 = fsub double %v78, %v57
  %v111 = fsub double %v77, %v110
  %v112 = fmul double %v111, 0x3FF921FB54442D18
  %v113 = tail call double @llvm.fma.f64(double %v78, double 0x3C91A62633145C07, double %v112)
  %v114 = fadd double %v109, %v113
  %v115 = select i1 %v12, double %v107, double %v114
  %v116 = tail call double @llvm.fma.f64(double %v93, double %v98, double %v115)
  %v117 = fadd double %v81, %v116
  %v118 = select i1 %v44, double %v92, double %v117
  %v119 = bitcast double %v118 to i64
  %v120 = xor i64 %v42, %v119
  %v121 = bitcast i64 %v120 to double
  ret double %v121
}

define internal float @m_cos_small_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fma.f32(float %x, float 0x3FE45F3060000000, float 0x4168000000000000)
  %v2 = bitcast float %v1 to i32
  %v3 = shl i32 %v2, 30
  %v4 = add i32 %v3, 1073741824
  %v5 = and i32 %v4, -2147483648
  %v6 = and i32 %v2, 1
  %v7 = icmp eq i32 %v6, 0
  %v8 = fadd float %v1, 0xC168000000000000
  %v9 = fneg float %v8
  %v10 = tail call float @llvm.fma.f32(float %v9, float 0x3FF921FB60000000, float %x)
  %v11 = fmul float %v8, 0xBE6777A5C0000000
  %v12 = fsub float %v10, %v11
  %v13 = fmul float %v12, %v12
  %v14 = fneg float %v13
  %v15 = fmul float %v13, %v14
  %v16 = tail call float @llvm.fma.f32(float %v13, float 0x3EF99E0DA0000000, float 0xBF56C0C1A0000000)
  %v17 = tail call float @llvm.fma.f32(float %v16, float %v13, float 0x3FA55554A0000000)
  %v18 = fmul float %v13, 5.000000e-01
  %v19 = tail call float @llvm.fma.f32(float %v15, float %v17, float %v18)
  %v20 = fsub float 1.000000e+00, %v19
  %v21 = fmul float %v12, %v13
  %v22 = tail call float @llvm.fma.f32(float %v13, float 0xBF2991BD40000000, float 0x3F81106C60000000)
  %v23 = tail call float @llvm.fma.f32(float %v22, float %v13, float 0xBFC5555440000000)
  %v24 = fsub float %v12, %v10
  %v25 = fsub float %v12, %v24
  %v26 = fsub float %v10, %v25
  %v27 = fadd float %v11, %v24
  %v28 = fsub float %v26, %v27
  %v29 = fneg float %v11
  %v30 = tail call float @llvm.fma.f32(float %v8, float 0xBE6777A5C0000000, float %v29)
  %v31 = fsub float %v28, %v30
  %v32 = tail call float @llvm.fma.f32(float %v9, float 0xBCDEE59DA0000000, float %v31)
  %v33 = tail call float @llvm.fma.f32(float %v21, float %v23, float %v32)
  %v34 = fadd float %v12, %v33
  %v35 = select i1 %v7, float %v20, float %v34
  %v36 = bitcast float %v35 to i32
  %v37 = xor i32 %v5, %v36
  %v38 = bitcast i32 %v37 to float
  ret float %v38
}

define internal double @m_cos_small_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fma.f64(double %x, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v2 = bitcast double %v1 to i64
  %v3 = shl i64 %v2, 62
  %v4 = add i64 %v3, 4611686018427387904
  %v5 = and i64 %v4, -9223372036854775808
  %v6 = and i64 %v2, 1
  %v7 = icmp eq i64 %v6, 0
  %v8 = fadd double %v1, 0xC338000000000000
  %v9 = fneg double %v8
  %v10 = tail call double @llvm.fma.f64(double %v9, double 0x3FF921FB54442D18, double %x)
  %v11 = fmul double %v8, 0x3C91A62633145C07
  %v12 = fsub double %v10, %v11
  %v13 = fmul double %v12, %v12
  %v14 = fneg double %v13
  %v15 = fmul double %v13, %v14
  %v16 = tail call double @llvm.fma.f64(double %v13, double 0xBDA8F941EA99C891, double 0x3E21EE9B9E18B408)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v13, double 0xBE927E4F7C234A35)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v13, double 0x3EFA01A019C515A1)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v13, double 0xBF56C16C16C14DC4)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v13, double 0x3FA555555555554A)
  %v21 = fmul double %v13, 5.000000e-01
  %v22 = tail call double @llvm.fma.f64(double %v15, double %v20, double %v21)
  %v23 = fsub double 1.000000e+00, %v22
  %v24 = fmul double %v12, %v13
  %v25 = tail call double @llvm.fma.f64(double %v13, double 0x3DE5D7E2DFD02324, double 0xBE5AE5E1F73BF4AB)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v13, double 0x3EC71DE351EED7F2)
  %v27 = tail call double @llvm.fma.f64(double %v26, double %v13, double 0xBF2A01A019BAD8A1)
  %v28 = tail call double @llvm.fma.f64(double %v27, double %v13, double 0x3F8111111110F573)
  %v29 = tail call double @llvm.fma.f64(double %v28, double %v13, double 0xBFC5555555555547)
  %v30 = fsub double %v12, %v10
  %v31 = fsub double %v12, %v30
  %v32 = fsub double %v10, %v31
  %v33 = fadd double %v11, %v30
  %v34 = fsub double %v32, %v33
  %v35 = fneg double %v11
  %v36 = tail call double @llvm.fma.f64(double %v8, double 0x3C91A62633145C07, double %v35)
  %v37 = fsub double %v34, %v36
  %v38 = tail call double @llvm.fma.f64(double %v9, double 0xB91F1976B7ED9000, double %v37)
  %v39 = tail call double @llvm.fma.f64(double %v24, double %v29, double %v38)
  %v40 = fadd double %v12, %v39
  %v41 = select i1 %v7, double %v23, double %v40
  %v42 = bitcast double %v41 to i64
  %v43 = xor i64 %v5, %v42
  %v44 = bitcast i64 %v43 to double
  ret double %v44
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
  %v17 = bitcast float %v16 to i32
  %v18 = add i32 %v17, -1262485376
  %v19 = lshr i32 %v18, 1
  %v20 = shl i32 %v19, 23
  %v21 = add i32 %v20, 528482304
  %v22 = bitcast i32 %v21 to float
  %v23 = fmul float %v15, %v22
  %v24 = sub i32 %v18, %v19
  %v25 = shl i32 %v24, 23
  %v26 = add i32 %v25, 528482304
  %v27 = bitcast i32 %v26 to float
  %v28 = fmul float %v23, %v27
  %v29 = fdiv float 2.500000e-01, %v28
  %v30 = fadd float %v28, %v29
  ret float %v30
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
  %v23 = bitcast double %v22 to i64
  %v24 = add i64 %v23, -4843621399236967424
  %v25 = lshr i64 %v24, 1
  %v26 = shl i64 %v25, 52
  %v27 = add i64 %v26, 2301339409586323456
  %v28 = bitcast i64 %v27 to double
  %v29 = fmul double %v21, %v28
  %v30 = sub i64 %v24, %v25
  %v31 = shl i64 %v30, 52
  %v32 = add i64 %v31, 2301339409586323456
  %v33 = bitcast i64 %v32 to double
  %v34 = fmul double %v29, %v33
  %v35 = fdiv double 2.500000e-01, %v34
  %v36 = fadd double %v34, %v35
  ret double %v36
}

define internal float @m_digamma_float32(float %x) nounwind {
b1:
  %v1 = fpext float %x to double
  %v2 = fcmp oeq float %x, 0.000000e+00
  br i1 %v2, label %b6, label %b2
b2:
  %v3 = fcmp olt float %x, 0.000000e+00
  br i1 %v3, label %b3, label %b4
b3:
  %v4 = tail call double @llvm.floor.f64(double %v1)
  %v5 = fcmp oeq double %v4, %v1
  br i1 %v5, label %b9, label %b7
b4:
  %v6 = phi double [ %v7, %b7 ], [ %v1, %b2 ]
  %v8 = phi double [ %v9, %b7 ], [ 0.000000e+00, %b2 ]
  %v10 = fcmp olt double %v6, 1.000000e+01
  br i1 %v10, label %b5, label %b8
b5:
  %v11 = phi double [ %v12, %b5 ], [ %v6, %b4 ]
  %v13 = phi double [ %v14, %b5 ], [ %v8, %b4 ]
  %v15 = fdiv double 1.000000e+00, %v11
  %v14 = fsub double %v13, %v15
  %v12 = fadd double %v11, 1.000000e+00
  %v16 = fcmp olt double %v12, 1.000000e+01
  br i1 %v16, label %b5, label %b8
b6:
  %v17 = fdiv float -1.000000e+00, %x
  br label %b9
b7:
  %v18 = tail call double @llvm.roundeven.f64(double %v1)
  %v19 = fsub double %v1, %v18
  %v20 = fmul double %v19, 0x400921FB54442D18
  %v21 = fcmp oeq double %v20, 0.000000e+00
  %v22 = tail call double @llvm.fma.f64(double %v20, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v23 = bitcast double %v22 to i64
  %v24 = and i64 %v23, 1
  %v25 = icmp eq i64 %v24, 0
  %v26 = fadd double %v22, 0xC338000000000000
  %v27 = fneg double %v26
  %v28 = tail call double @llvm.fma.f64(double %v27, double 0x3FF921FB54442D18, double %v20)
  %v29 = fmul double %v26, 0x3C91A62633145C07
  %v30 = fsub double %v28, %v29
  %v31 = fmul double %v30, %v30
  %v32 = fmul double %v30, %v31
  %v33 = tail call double @llvm.fma.f64(double %v31, double 0x3EE5759299B92C5A, double 0xBEFB7F7AA114A3CF)
  %v34 = tail call double @llvm.fma.f64(double %v33, double %v31, double 0x3F0B909B210979E0)
  %v35 = tail call double @llvm.fma.f64(double %v34, double %v31, double 0xBEFFD44B7EFC6BDB)
  %v36 = tail call double @llvm.fma.f64(double %v35, double %v31, double 0x3F1299A9B3083AC9)
  %v37 = tail call double @llvm.fma.f64(double %v36, double %v31, double 0x3F155E07901CAB29)
  %v38 = tail call double @llvm.fma.f64(double %v37, double %v31, double 0x3F3006E60E1DB54F)
  %v39 = tail call double @llvm.fma.f64(double %v38, double %v31, double 0x3F4349DEBFE3976F)
  %v40 = tail call double @llvm.fma.f64(double %v39, double %v31, double 0x3F57DB49588EA3CA)
  %v41 = tail call double @llvm.fma.f64(double %v40, double %v31, double 0x3F6D6D2B11FC2E19)
  %v42 = tail call double @llvm.fma.f64(double %v41, double %v31, double 0x3F8226E3BD065FDF)
  %v43 = tail call double @llvm.fma.f64(double %v42, double %v31, double 0x3F9664F4852C1407)
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v31, double 0x3FABA1BA1BAF01E9)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v31, double 0x3FC111111111022F)
  %v46 = tail call double @llvm.fma.f64(double %v45, double %v31, double 0x3FD5555555555561)
  %v47 = fmul double %v32, %v46
  %v48 = fadd double %v30, %v47
  %v49 = fsub double %v30, %v28
  %v50 = fsub double %v30, %v49
  %v51 = fsub double %v28, %v50
  %v52 = fadd double %v29, %v49
  %v53 = fsub double %v51, %v52
  %v54 = fneg double %v29
  %v55 = tail call double @llvm.fma.f64(double %v26, double 0x3C91A62633145C07, double %v54)
  %v56 = fsub double %v53, %v55
  %v57 = tail call double @llvm.fma.f64(double %v27, double 0xB91F1976B7ED9000, double %v56)
  %v58 = tail call double @llvm.fma.f64(double %v48, double %v48, double 1.000000e+00)
  %v59 = fsub double %v48, %v30
  %v60 = fsub double %v47, %v59
  %v61 = tail call double @llvm.fma.f64(double %v57, double %v58, double %v60)
  %v62 = fadd double %v48, %v61
  %v63 = fdiv double -1.000000e+00, %v48
  %v64 = tail call double @llvm.fma.f64(double %v63, double %v48, double 1.000000e+00)
  %v65 = tail call double @llvm.fma.f64(double %v63, double %v61, double %v64)
  %v66 = tail call double @llvm.fma.f64(double %v63, double %v65, double %v63)
  %v67 = select i1 %v25, double %v62, double %v66
  %v68 = select i1 %v21, double %v20, double %v67
  %v9 = fdiv double 0xC00921FB54442D18, %v68
  %v7 = fsub double 1.000000e+00, %v1
  br label %b4
b8:
  %v69 = phi double [ %v6, %b4 ], [ %v12, %b5 ]
  %v70 = phi double [ %v8, %b4 ], [ %v14, %b5 ]
  %v71 = fcmp oeq double %v69, 0.000000e+00
  %v72 = fcmp olt double %v69, 0.000000e+00
  %v73 = fcmp one double %v69, 0x7FF0000000000000
  %v74 = fcmp olt double %v69, 0x10000000000000
  %v75 = fmul double %v69, 0x4340000000000000
  %v76 = select i1 %v74, double %v75, double %v69
  %v77 = bitcast double %v76 to i64
  %v78 = add i64 %v77, 2638147582215219
  %v79 = lshr i64 %v78, 52
  %v80 = or disjoint i64 %v79, 4841369599423283200
  %v81 = bitcast i64 %v80 to double
  %v82 = fadd double %v81, 0xC330000000000000
  %v83 = select i1 %v74, double 1.076000e+03, double 1.023000e+03
  %v84 = fsub double %v82, %v83
  %v85 = and i64 %v78, 4503599627370495
  %v86 = add nuw nsw i64 %v85, 4604544271217802189
  %v87 = bitcast i64 %v86 to double
  %v88 = fadd double %v87, -1.000000e+00
  %v89 = fadd double %v88, 2.000000e+00
  %v90 = fdiv double %v88, %v89
  %v91 = fmul double %v90, %v90
  %v92 = tail call double @llvm.fma.f64(double %v91, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v93 = tail call double @llvm.fma.f64(double %v92, double %v91, double 0x3FC74664A41971F1)
  %v94 = tail call double @llvm.fma.f64(double %v93, double %v91, double 0x3FCC71C51D57B847)
  %v95 = tail call double @llvm.fma.f64(double %v94, double %v91, double 0x3FD249249422C781)
  %v96 = tail call double @llvm.fma.f64(double %v95, double %v91, double 0x3FD999999997F9E0)
  %v97 = tail call double @llvm.fma.f64(double %v96, double %v91, double 0x3FE5555555555593)
  %v98 = fmul double %v88, %v88
  %v99 = fmul double %v98, 5.000000e-01
  %v100 = tail call double @llvm.fma.f64(double %v91, double %v97, double %v99)
  %v101 = fmul double %v84, 0xBD48432A1B0E2634
  %v102 = tail call double @llvm.fma.f64(double %v90, double %v100, double %v101)
  %v103 = fsub double %v102, %v99
  %v104 = fadd double %v88, %v103
  %v105 = tail call double @llvm.fma.f64(double %v84, double 0x3FE62E42FEFA4000, double %v104)
  %v106 = select i1 %v73, double %v105, double %v69
  %v107 = select i1 %v72, double 0x7FF8000000000000, double %v106
  %v108 = select i1 %v71, double 0xFFF0000000000000, double %v107
  %v109 = fmul double %v69, %v69
  %v110 = fdiv double 1.000000e+00, %v109
  %v111 = fdiv double 5.000000e-01, %v69
  %v112 = fsub double %v108, %v111
  %v113 = tail call double @llvm.fma.f64(double %v110, double 0xBFDC5E5E5E5E5E5E, double 0x3FB5555555555556)
  %v114 = tail call double @llvm.fma.f64(double %v113, double %v110, double 0xBF95995995995995)
  %v115 = tail call double @llvm.fma.f64(double %v114, double %v110, double 0x3F7F07C1F07C1F08)
  %v116 = tail call double @llvm.fma.f64(double %v115, double %v110, double 0xBF71111111111111)
  %v117 = tail call double @llvm.fma.f64(double %v116, double %v110, double 0x3F70410410410410)
  %v118 = tail call double @llvm.fma.f64(double %v117, double %v110, double 0xBF81111111111111)
  %v119 = tail call double @llvm.fma.f64(double %v118, double %v110, double 0x3FB5555555555555)
  %v120 = fmul double %v110, %v119
  %v121 = fsub double %v112, %v120
  %v122 = fadd double %v70, %v121
  %v123 = fptrunc double %v122 to float
  br label %b9
b9:
  %v124 = phi float [ %v17, %b6 ], [ %v123, %b8 ], [ 0x7FF8000000000000, %b3 ]
  ret float %v124
}

define internal double @m_digamma_float64(double %x) nounwind {
b1:
  %v1 = fcmp oeq double %x, 0.000000e+00
  br i1 %v1, label %b6, label %b2
b2:
  %v2 = fcmp olt double %x, 0.000000e+00
  br i1 %v2, label %b3, label %b4
b3:
  %v3 = tail call double @llvm.floor.f64(double %x)
  %v4 = fcmp oeq double %x, %v3
  br i1 %v4, label %b9, label %b7
b4:
  %v5 = phi double [ %v6, %b7 ], [ %x, %b2 ]
  %v7 = phi double [ %v8, %b7 ], [ 0.000000e+00, %b2 ]
  %v9 = fcmp olt double %v5, 1.000000e+01
  br i1 %v9, label %b5, label %b8
b5:
  %v10 = phi double [ %v11, %b5 ], [ %v5, %b4 ]
  %v12 = phi double [ %v13, %b5 ], [ %v7, %b4 ]
  %v14 = fdiv double 1.000000e+00, %v10
  %v13 = fsub double %v12, %v14
  %v11 = fadd double %v10, 1.000000e+00
  %v15 = fcmp olt double %v11, 1.000000e+01
  br i1 %v15, label %b5, label %b8
b6:
  %v16 = fdiv double -1.000000e+00, %x
  br label %b9
b7:
  %v17 = tail call double @llvm.roundeven.f64(double %x)
  %v18 = fsub double %x, %v17
  %v19 = fmul double %v18, 0x400921FB54442D18
  %v20 = fcmp oeq double %v19, 0.000000e+00
  %v21 = tail call double @llvm.fma.f64(double %v19, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v22 = bitcast double %v21 to i64
  %v23 = and i64 %v22, 1
  %v24 = icmp eq i64 %v23, 0
  %v25 = fadd double %v21, 0xC338000000000000
  %v26 = fneg double %v25
  %v27 = tail call double @llvm.fma.f64(double %v26, double 0x3FF921FB54442D18, double %v19)
  %v28 = fmul double %v25, 0x3C91A62633145C07
  %v29 = fsub double %v27, %v28
  %v30 = fmul double %v29, %v29
  %v31 = fmul double %v29, %v30
  %v32 = tail call double @llvm.fma.f64(double %v30, double 0x3EE5759299B92C5A, double 0xBEFB7F7AA114A3CF)
  %v33 = tail call double @llvm.fma.f64(double %v32, double %v30, double 0x3F0B909B210979E0)
  %v34 = tail call double @llvm.fma.f64(double %v33, double %v30, double 0xBEFFD44B7EFC6BDB)
  %v35 = tail call double @llvm.fma.f64(double %v34, double %v30, double 0x3F1299A9B3083AC9)
  %v36 = tail call double @llvm.fma.f64(double %v35, double %v30, double 0x3F155E07901CAB29)
  %v37 = tail call double @llvm.fma.f64(double %v36, double %v30, double 0x3F3006E60E1DB54F)
  %v38 = tail call double @llvm.fma.f64(double %v37, double %v30, double 0x3F4349DEBFE3976F)
  %v39 = tail call double @llvm.fma.f64(double %v38, double %v30, double 0x3F57DB49588EA3CA)
  %v40 = tail call double @llvm.fma.f64(double %v39, double %v30, double 0x3F6D6D2B11FC2E19)
  %v41 = tail call double @llvm.fma.f64(double %v40, double %v30, double 0x3F8226E3BD065FDF)
  %v42 = tail call double @llvm.fma.f64(double %v41, double %v30, double 0x3F9664F4852C1407)
  %v43 = tail call double @llvm.fma.f64(double %v42, double %v30, double 0x3FABA1BA1BAF01E9)
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v30, double 0x3FC111111111022F)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v30, double 0x3FD5555555555561)
  %v46 = fmul double %v31, %v45
  %v47 = fadd double %v29, %v46
  %v48 = fsub double %v29, %v27
  %v49 = fsub double %v29, %v48
  %v50 = fsub double %v27, %v49
  %v51 = fadd double %v28, %v48
  %v52 = fsub double %v50, %v51
  %v53 = fneg double %v28
  %v54 = tail call double @llvm.fma.f64(double %v25, double 0x3C91A62633145C07, double %v53)
  %v55 = fsub double %v52, %v54
  %v56 = tail call double @llvm.fma.f64(double %v26, double 0xB91F1976B7ED9000, double %v55)
  %v57 = tail call double @llvm.fma.f64(double %v47, double %v47, double 1.000000e+00)
  %v58 = fsub double %v47, %v29
  %v59 = fsub double %v46, %v58
  %v60 = tail call double @llvm.fma.f64(double %v56, double %v57, double %v59)
  %v61 = fadd double %v47, %v60
  %v62 = fdiv double -1.000000e+00, %v47
  %v63 = tail call double @llvm.fma.f64(double %v62, double %v47, double 1.000000e+00)
  %v64 = tail call double @llvm.fma.f64(double %v62, double %v60, double %v63)
  %v65 = tail call double @llvm.fma.f64(double %v62, double %v64, double %v62)
  %v66 = select i1 %v24, double %v61, double %v65
  %v67 = select i1 %v20, double %v19, double %v66
  %v8 = fdiv double 0xC00921FB54442D18, %v67
  %v6 = fsub double 1.000000e+00, %x
  br label %b4
b8:
  %v68 = phi double [ %v5, %b4 ], [ %v11, %b5 ]
  %v69 = phi double [ %v7, %b4 ], [ %v13, %b5 ]
  %v70 = fcmp oeq double %v68, 0.000000e+00
  %v71 = fcmp olt double %v68, 0.000000e+00
  %v72 = fcmp one double %v68, 0x7FF0000000000000
  %v73 = fcmp olt double %v68, 0x10000000000000
  %v74 = fmul double %v68, 0x4340000000000000
  %v75 = select i1 %v73, double %v74, double %v68
  %v76 = bitcast double %v75 to i64
  %v77 = add i64 %v76, 2638147582215219
  %v78 = lshr i64 %v77, 52
  %v79 = or disjoint i64 %v78, 4841369599423283200
  %v80 = bitcast i64 %v79 to double
  %v81 = fadd double %v80, 0xC330000000000000
  %v82 = select i1 %v73, double 1.076000e+03, double 1.023000e+03
  %v83 = fsub double %v81, %v82
  %v84 = and i64 %v77, 4503599627370495
  %v85 = add nuw nsw i64 %v84, 4604544271217802189
  %v86 = bitcast i64 %v85 to double
  %v87 = fadd double %v86, -1.000000e+00
  %v88 = fadd double %v87, 2.000000e+00
  %v89 = fdiv double %v87, %v88
  %v90 = fmul double %v89, %v89
  %v91 = tail call double @llvm.fma.f64(double %v90, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v92 = tail call double @llvm.fma.f64(double %v91, double %v90, double 0x3FC74664A41971F1)
  %v93 = tail call double @llvm.fma.f64(double %v92, double %v90, double 0x3FCC71C51D57B847)
  %v94 = tail call double @llvm.fma.f64(double %v93, double %v90, double 0x3FD249249422C781)
  %v95 = tail call double @llvm.fma.f64(double %v94, double %v90, double 0x3FD999999997F9E0)
  %v96 = tail call double @llvm.fma.f64(double %v95, double %v90, double 0x3FE5555555555593)
  %v97 = fmul double %v87, %v87
  %v98 = fmul double %v97, 5.000000e-01
  %v99 = tail call double @llvm.fma.f64(double %v90, double %v96, double %v98)
  %v100 = fmul double %v83, 0xBD48432A1B0E2634
  %v101 = tail call double @llvm.fma.f64(double %v89, double %v99, double %v100)
  %v102 = fsub double %v101, %v98
  %v103 = fadd double %v87, %v102
  %v104 = tail call double @llvm.fma.f64(double %v83, double 0x3FE62E42FEFA4000, double %v103)
  %v105 = select i1 %v72, double %v104, double %v68
  %v106 = select i1 %v71, double 0x7FF8000000000000, double %v105
  %v107 = select i1 %v70, double 0xFFF0000000000000, double %v106
  %v108 = fmul double %v68, %v68
  %v109 = fdiv double 1.000000e+00, %v108
  %v110 = fdiv double 5.000000e-01, %v68
  %v111 = fsub double %v107, %v110
  %v112 = tail call double @llvm.fma.f64(double %v109, double 0xBFDC5E5E5E5E5E5E, double 0x3FB5555555555556)
  %v113 = tail call double @llvm.fma.f64(double %v112, double %v109, double 0xBF95995995995995)
  %v114 = tail call double @llvm.fma.f64(double %v113, double %v109, double 0x3F7F07C1F07C1F08)
  %v115 = tail call double @llvm.fma.f64(double %v114, double %v109, double 0xBF71111111111111)
  %v116 = tail call double @llvm.fma.f64(double %v115, double %v109, double 0x3F70410410410410)
  %v117 = tail call double @llvm.fma.f64(double %v116, double %v109, double 0xBF81111111111111)
  %v118 = tail call double @llvm.fma.f64(double %v117, double %v109, double 0x3FB5555555555555)
  %v119 = fmul double %v109, %v118
  %v120 = fsub double %v111, %v119
  %v121 = fadd double %v69, %v120
  br label %b9
b9:
  %v122 = phi double [ %v16, %b6 ], [ %v121, %b8 ], [ 0x7FF8000000000000, %b3 ]
  ret double %v122
}

define internal float @m_erf_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp ogt float %v1, 1.000000e+00
  %v3 = fadd float %v1, -1.000000e+00
  %v4 = fcmp ogt float %v3, 3.000000e+00
  %v5 = select i1 %v4, float 3.000000e+00, float %v3
  %v6 = tail call float @llvm.fma.f32(float %v5, float 0xBEF373F040000000, float 0xBEFC1A2360000000)
  %v7 = tail call float @llvm.fma.f32(float %v6, float %v5, float 0x3F56F637A0000000)
  %v8 = tail call float @llvm.fma.f32(float %v7, float %v5, float 0xBF83442BE0000000)
  %v9 = tail call float @llvm.fma.f32(float %v8, float %v5, float 0x3FA51ED520000000)
  %v10 = tail call float @llvm.fma.f32(float %v9, float %v5, float 0x3FEAFB46A0000000)
  %v11 = tail call float @llvm.fma.f32(float %v10, float %v5, float 0x40051C9880000000)
  %v12 = tail call float @llvm.fma.f32(float %v11, float %v5, float 0x3FFD97FC00000000)
  %v13 = fneg float %v12
  %v14 = tail call float @llvm.fma.f32(float %v13, float 0x3FF7154760000000, float 0x4168000000000000)
  %v15 = bitcast float %v14 to i32
  %v16 = shl i32 %v15, 23
  %v17 = add i32 %v16, 1065353216
  %v18 = bitcast i32 %v17 to float
  %v19 = fsub float 1.000000e+00, %v18
  %v20 = fadd float %v14, 0xC168000000000000
  %v21 = fneg float %v20
  %v22 = tail call float @llvm.fma.f32(float %v21, float 0x3FE62E4000000000, float %v13)
  %v23 = tail call float @llvm.fma.f32(float %v21, float 0x3EB7F7D1C0000000, float %v22)
  %v24 = fmul float %v23, %v23
  %v25 = tail call float @llvm.fma.f32(float %v23, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v26 = tail call float @llvm.fma.f32(float %v25, float %v23, float 0x3FA5555240000000)
  %v27 = tail call float @llvm.fma.f32(float %v26, float %v23, float 0x3FC5554900000000)
  %v28 = tail call float @llvm.fma.f32(float %v27, float %v23, float 5.000000e-01)
  %v29 = tail call float @llvm.fma.f32(float %v24, float %v28, float %v23)
  %v30 = fmul float %v29, %v18
  %v31 = fsub float %v19, %v30
  %v32 = fmul float %x, %x
  %v33 = select i1 %v2, float 1.000000e+00, float %v32
  %v34 = tail call float @llvm.fma.f32(float %v33, float 0x3F14C32F00000000, float 0xBF4A50AB20000000)
  %v35 = tail call float @llvm.fma.f32(float %v34, float %v33, float 0x3F7542E080000000)
  %v36 = tail call float @llvm.fma.f32(float %v35, float %v33, float 0xBF9B7FE900000000)
  %v37 = tail call float @llvm.fma.f32(float %v36, float %v33, float 0x3FBCE2D500000000)
  %v38 = tail call float @llvm.fma.f32(float %v37, float %v33, float 0xBFD8127400000000)
  %v39 = tail call float @llvm.fma.f32(float %v38, float %v33, float 0x3FC06EBA80000000)
  %v40 = tail call float @llvm.fma.f32(float %v1, float %v39, float %v1)
  %v41 = select i1 %v2, float %v31, float %v40
  %v42 = tail call float @llvm.copysign.f32(float %v41, float %x)
  ret float %v42
}

define internal double @m_erf_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp ogt double %v1, 1.000000e+00
  %v3 = fadd double %v1, -1.000000e+00
  %v4 = fcmp ogt double %v3, 4.950000e+00
  %v5 = select i1 %v4, double 4.950000e+00, double %v3
  %v6 = tail call double @llvm.fma.f64(double %v5, double 0xBC9CD905410EF35B, double 0x3CF84A1D25982B51)
  %v7 = tail call double @llvm.fma.f64(double %v6, double %v5, double 0xBD433433E202E869)
  %v8 = tail call double @llvm.fma.f64(double %v7, double %v5, double 0x3D82F945AF9F66FF)
  %v9 = tail call double @llvm.fma.f64(double %v8, double %v5, double 0xBDBA4C5F578C0BB1)
  %v10 = tail call double @llvm.fma.f64(double %v9, double %v5, double 0x3DEB30F7D6E778D3)
  %v11 = tail call double @llvm.fma.f64(double %v10, double %v5, double 0xBE15BCA1C1599579)
  %v12 = tail call double @llvm.fma.f64(double %v11, double %v5, double 0x3E3B5C22DCC46008)
  %v13 = tail call double @llvm.fma.f64(double %v12, double %v5, double 0xBE5B0E4B04D2E482)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v5, double 0x3E7420D6F35D1E2C)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v5, double 0xBE825B74D89B7637)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v5, double 0xBE78842EDFCFD0C9)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v5, double 0x3EC0D7A8BBDC1DE9)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v5, double 0xBEE4113F1B1967A4)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v5, double 0x3EFC743984A358B0)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v5, double 0xBEFB8B39007DA793)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v5, double 0xBF2F1B5368E16B23)
  %v22 = tail call double @llvm.fma.f64(double %v21, double %v5, double 0x3F6033F6B8028060)
  %v23 = tail call double @llvm.fma.f64(double %v22, double %v5, double 0xBF848C9D42030C46)
  %v24 = tail call double @llvm.fma.f64(double %v23, double %v5, double 0x3FA5477F09D27DF1)
  %v25 = tail call double @llvm.fma.f64(double %v24, double %v5, double 0x3FEAFABC11A288D1)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v5, double 0x40051C9B0006C245)
  %v27 = tail call double @llvm.fma.f64(double %v26, double %v5, double 0x3FFD97FBF27AA2A1)
  %v28 = fneg double %v27
  %v29 = tail call double @llvm.fma.f64(double %v28, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v30 = bitcast double %v29 to i64
  %v31 = shl i64 %v30, 52
  %v32 = add i64 %v31, 4607182418800017408
  %v33 = bitcast i64 %v32 to double
  %v34 = fsub double 1.000000e+00, %v33
  %v35 = fadd double %v29, 0xC338000000000000
  %v36 = fneg double %v35
  %v37 = tail call double @llvm.fma.f64(double %v36, double 0x3FE62E42FEFA4000, double %v28)
  %v38 = tail call double @llvm.fma.f64(double %v36, double 0xBD48432A1B0E2634, double %v37)
  %v39 = fmul double %v38, %v38
  %v40 = tail call double @llvm.fma.f64(double %v38, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v41 = tail call double @llvm.fma.f64(double %v40, double %v38, double 0x3E927E4DB81FC5C4)
  %v42 = tail call double @llvm.fma.f64(double %v41, double %v38, double 0x3EC71DDED4DF15D0)
  %v43 = tail call double @llvm.fma.f64(double %v42, double %v38, double 0x3EFA01A01A70E1D0)
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v38, double 0x3F2A01A01B4A1A68)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v38, double 0x3F56C16C16C1618C)
  %v46 = tail call double @llvm.fma.f64(double %v45, double %v38, double 0x3F8111111110E966)
  %v47 = tail call double @llvm.fma.f64(double %v46, double %v38, double 0x3FA5555555555556)
  %v48 = tail call double @llvm.fma.f64(double %v47, double %v38, double 0x3FC555555555555C)
  %v49 = tail call double @llvm.fma.f64(double %v48, double %v38, double 5.000000e-01)
  %v50 = tail call double @llvm.fma.f64(double %v39, double %v49, double %v38)
  %v51 = fmul double %v50, %v33
  %v52 = fsub double %v34, %v51
  %v53 = fmul double %x, %x
  %v54 = select i1 %v2, double 1.000000e+00, double %v53
  %v55 = tail call double @llvm.fma.f64(double %v54, double 0x3DE67FDAC649072E, double 0xBE1E473542F1C4A2)
  %v56 = tail call double @llvm.fma.f64(double %v55, double %v54, double 0x3E5180FAB209FF06)
  %v57 = tail call double @llvm.fma.f64(double %v56, double %v54, double 0xBE86470CDBDC7AC5)
  %v58 = tail call double @llvm.fma.f64(double %v57, double %v54, double 0x3EBBA820C20548F9)
  %v59 = tail call double @llvm.fma.f64(double %v58, double %v54, double 0xBEEF4DEC21BBB2DA)
  %v60 = tail call double @llvm.fma.f64(double %v59, double %v54, double 0x3F1F9A3CF7FBBD65)
  %v61 = tail call double @llvm.fma.f64(double %v60, double %v54, double 0xBF4C02DB9E140188)
  %v62 = tail call double @llvm.fma.f64(double %v61, double %v54, double 0x3F7565BCD2FA7E51)
  %v63 = tail call double @llvm.fma.f64(double %v62, double %v54, double 0xBF9B82CE313664E0)
  %v64 = tail call double @llvm.fma.f64(double %v63, double %v54, double 0x3FBCE2F21A045B8E)
  %v65 = tail call double @llvm.fma.f64(double %v64, double %v54, double 0xBFD812746B037A27)
  %v66 = tail call double @llvm.fma.f64(double %v65, double %v54, double 0x3FC06EBA8214DB69)
  %v67 = tail call double @llvm.fma.f64(double %v1, double %v66, double %v1)
  %v68 = select i1 %v2, double %v52, double %v67
  %v69 = tail call double @llvm.copysign.f64(double %v68, double %x)
  ret double %v69
}

define internal float @m_erfc_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp ogt float %v1, 5.000000e-01
  %v3 = fcmp olt float %x, 0.000000e+00
  %v4 = fcmp ogt float %v1, 0x4024333340000000
  %v5 = select i1 %v4, float 0x4024333340000000, float %v1
  %v6 = fadd float %v5, -2.000000e+00
  %v7 = fadd float %v5, 2.000000e+00
  %v8 = fdiv float %v6, %v7
  %v9 = tail call float @llvm.fma.f32(float %v8, float 0xBF2FFF62E0000000, float 0xBF5503CFA0000000)
  %v10 = tail call float @llvm.fma.f32(float %v9, float %v8, float 0x3F53284A00000000)
  %v11 = tail call float @llvm.fma.f32(float %v10, float %v8, float 0x3F81C3E9E0000000)
  %v12 = tail call float @llvm.fma.f32(float %v11, float %v8, float 0xBF806A2100000000)
  %v13 = tail call float @llvm.fma.f32(float %v12, float %v8, float 0xBFABC22A00000000)
  %v14 = tail call float @llvm.fma.f32(float %v13, float %v8, float 0x3FC4FF9880000000)
  %v15 = tail call float @llvm.fma.f32(float %v14, float %v8, float 0xBFC5407BA0000000)
  %v16 = tail call float @llvm.fma.f32(float %v15, float %v8, float 0xBFB7BF5EC0000000)
  %v17 = tail call float @llvm.fma.f32(float %v8, float %v16, float 0x3FF46E80E0000000)
  %v18 = tail call float @llvm.fma.f32(float %v5, float 2.000000e+00, float 1.000000e+00)
  %v19 = fdiv float 1.000000e+00, %v18
  %v20 = fmul float %v19, %v17
  %v21 = fneg float %v5
  %v22 = fmul float %v5, %v21
  %v23 = tail call float @llvm.fma.f32(float %v5, float %v5, float %v22)
  %v24 = fneg float %v23
  %v25 = tail call float @llvm.fma.f32(float %v22, float 0x3FF7154760000000, float 0x4168000000000000)
  %v26 = fadd float %v25, 0xC168000000000000
  %v27 = fneg float %v26
  %v28 = tail call float @llvm.fma.f32(float %v27, float 0x3FE62E4000000000, float %v22)
  %v29 = tail call float @llvm.fma.f32(float %v27, float 0x3EB7F7D1C0000000, float %v28)
  %v30 = fmul float %v29, %v29
  %v31 = tail call float @llvm.fma.f32(float %v29, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v32 = tail call float @llvm.fma.f32(float %v31, float %v29, float 0x3FA5555240000000)
  %v33 = tail call float @llvm.fma.f32(float %v32, float %v29, float 0x3FC5554900000000)
  %v34 = tail call float @llvm.fma.f32(float %v33, float %v29, float 5.000000e-01)
  %v35 = tail call float @llvm.fma.f32(float %v30, float %v34, float %v29)
  %v36 = fadd float %v35, 1.000000e+00
  %v37 = tail call float @llvm.fma.f32(float %v24, float %v36, float %v35)
  %v38 = fneg float %v20
  %v39 = fsub float 1.000000e+00, %v18
  %v40 = tail call float @llvm.fma.f32(float %v5, float 2.000000e+00, float %v39)
  %v41 = tail call float @llvm.fma.f32(float %v38, float %v18, float %v17)
  %v42 = tail call float @llvm.fma.f32(float %v38, float %v40, float %v41)
  %v43 = fsub float 0x3FF46E80E0000000, %v17
  %v44 = tail call float @llvm.fma.f32(float %v8, float %v16, float %v43)
  %v45 = fadd float %v44, %v42
  %v46 = fmul float %v19, %v45
  %v47 = tail call float @llvm.fma.f32(float %v46, float %v37, float %v46)
  %v48 = tail call float @llvm.fma.f32(float %v20, float %v37, float %v47)
  %v49 = fadd float %v20, %v48
  %v50 = bitcast float %v25 to i32
  %v51 = add i32 %v50, -1262485376
  %v52 = lshr i32 %v51, 1
  %v53 = shl i32 %v52, 23
  %v54 = add i32 %v53, 528482304
  %v55 = bitcast i32 %v54 to float
  %v56 = fmul float %v49, %v55
  %v57 = sub i32 %v51, %v52
  %v58 = shl i32 %v57, 23
  %v59 = add i32 %v58, 528482304
  %v60 = bitcast i32 %v59 to float
  %v61 = fmul float %v56, %v60
  %v62 = fsub float 2.000000e+00, %v61
  %v63 = select i1 %v3, float %v62, float %v61
  %v64 = fmul float %x, %x
  %v65 = select i1 %v2, float 5.000000e-01, float %v64
  %v66 = tail call float @llvm.fma.f32(float %v65, float 0x3F14C32F00000000, float 0xBF4A50AB20000000)
  %v67 = tail call float @llvm.fma.f32(float %v66, float %v65, float 0x3F7542E080000000)
  %v68 = tail call float @llvm.fma.f32(float %v67, float %v65, float 0xBF9B7FE900000000)
  %v69 = tail call float @llvm.fma.f32(float %v68, float %v65, float 0x3FBCE2D500000000)
  %v70 = tail call float @llvm.fma.f32(float %v69, float %v65, float 0xBFD8127400000000)
  %v71 = tail call float @llvm.fma.f32(float %v70, float %v65, float 0x3FC06EBA80000000)
  %v72 = tail call float @llvm.fma.f32(float %x, float %v71, float %x)
  %v73 = fsub float 1.000000e+00, %v72
  %v74 = select i1 %v2, float %v63, float %v73
  ret float %v74
}

define internal double @m_erfc_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp ogt double %v1, 5.000000e-01
  %v3 = fcmp olt double %x, 0.000000e+00
  %v4 = fcmp ogt double %v1, 2.730000e+01
  %v5 = select i1 %v4, double 2.730000e+01, double %v1
  %v6 = fadd double %v5, -2.500000e+00
  %v7 = fadd double %v5, 2.500000e+00
  %v8 = fdiv double %v6, %v7
  %v9 = tail call double @llvm.fma.f64(double %v8, double 0x3E511C39BD1215DD, double 0x3E01F6FDBADB47CE)
  %v10 = tail call double @llvm.fma.f64(double %v9, double %v8, double 0xBE82E44E20822848)
  %v11 = tail call double @llvm.fma.f64(double %v10, double %v8, double 0xBE5F87EE72410AC4)
  %v12 = tail call double @llvm.fma.f64(double %v11, double %v8, double 0x3EA34422139F8E18)
  %v13 = tail call double @llvm.fma.f64(double %v12, double %v8, double 0x3EA34E8C8488751B)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v8, double 0xBEBB49D98B10C286)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v8, double 0xBED1C7EA6F6B4A8B)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v8, double 0x3EC613A6B257EA77)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v8, double 0x3EF7CEE805268EC5)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v8, double 0x3EDA3FE0D40B3991)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v8, double 0xBF1DC26A50C82421)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v8, double 0xBF1731A24DC24A23)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v8, double 0x3F44B6A4D57065E1)
  %v22 = tail call double @llvm.fma.f64(double %v21, double %v8, double 0x3F401E1159D16370)
  %v23 = tail call double @llvm.fma.f64(double %v22, double %v8, double 0xBF71F2F132A926D7)
  %v24 = tail call double @llvm.fma.f64(double %v23, double %v8, double 0x3F4E89489E99C6B6)
  %v25 = tail call double @llvm.fma.f64(double %v24, double %v8, double 0x3FA0C6092A5A2A43)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v8, double 0xBFBA5C0C8A40E847)
  %v27 = tail call double @llvm.fma.f64(double %v26, double %v8, double 0x3FC42D379989B660)
  %v28 = tail call double @llvm.fma.f64(double %v27, double %v8, double 0xBFB959AC16F85498)
  %v29 = tail call double @llvm.fma.f64(double %v28, double %v8, double 0xBFBF52C5D7E22305)
  %v30 = tail call double @llvm.fma.f64(double %v8, double %v29, double 0x3FF43CC6F6C9672C)
  %v31 = tail call double @llvm.fma.f64(double %v5, double 2.000000e+00, double 1.000000e+00)
  %v32 = fdiv double 1.000000e+00, %v31
  %v33 = fmul double %v32, %v30
  %v34 = fneg double %v5
  %v35 = fmul double %v5, %v34
  %v36 = tail call double @llvm.fma.f64(double %v5, double %v5, double %v35)
  %v37 = fneg double %v36
  %v38 = tail call double @llvm.fma.f64(double %v35, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v39 = fadd double %v38, 0xC338000000000000
  %v40 = fneg double %v39
  %v41 = tail call double @llvm.fma.f64(double %v40, double 0x3FE62E42FEFA4000, double %v35)
  %v42 = tail call double @llvm.fma.f64(double %v40, double 0xBD48432A1B0E2634, double %v41)
  %v43 = fmul double %v42, %v42
  %v44 = tail call double @llvm.fma.f64(double %v42, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v42, double 0x3E927E4DB81FC5C4)
  %v46 = tail call double @llvm.fma.f64(double %v45, double %v42, double 0x3EC71DDED4DF15D0)
  %v47 = tail call double @llvm.fma.f64(double %v46, double %v42, double 0x3EFA01A01A70E1D0)
  %v48 = tail call double @llvm.fma.f64(double %v47, double %v42, double 0x3F2A01A01B4A1A68)
  %v49 = tail call double @llvm.fma.f64(double %v48, double %v42, double 0x3F56C16C16C1618C)
  %v50 = tail call double @llvm.fma.f64(double %v49, double %v42, double 0x3F8111111110E966)
  %v51 = tail call double @llvm.fma.f64(double %v50, double %v42, double 0x3FA5555555555556)
  %v52 = tail call double @llvm.fma.f64(double %v51, double %v42, double 0x3FC555555555555C)
  %v53 = tail call double @llvm.fma.f64(double %v52, double %v42, double 5.000000e-01)
  %v54 = tail call double @llvm.fma.f64(double %v43, double %v53, double %v42)
  %v55 = fadd double %v54, 1.000000e+00
  %v56 = tail call double @llvm.fma.f64(double %v37, double %v55, double %v54)
  %v57 = fneg double %v33
  %v58 = fsub double 1.000000e+00, %v31
  %v59 = tail call double @llvm.fma.f64(double %v5, double 2.000000e+00, double %v58)
  %v60 = tail call double @llvm.fma.f64(double %v57, double %v31, double %v30)
  %v61 = tail call double @llvm.fma.f64(double %v57, double %v59, double %v60)
  %v62 = fsub double 0x3FF43CC6F6C9672C, %v30
  %v63 = tail call double @llvm.fma.f64(double %v8, double %v29, double %v62)
  %v64 = fadd double %v63, %v61
  %v65 = fmul double %v32, %v64
  %v66 = tail call double @llvm.fma.f64(double %v65, double %v56, double %v65)
  %v67 = tail call double @llvm.fma.f64(double %v33, double %v56, double %v66)
  %v68 = fadd double %v33, %v67
  %v69 = bitcast double %v38 to i64
  %v70 = add i64 %v69, -4843621399236967424
  %v71 = lshr i64 %v70, 1
  %v72 = shl i64 %v71, 52
  %v73 = add i64 %v72, 2301339409586323456
  %v74 = bitcast i64 %v73 to double
  %v75 = fmul double %v68, %v74
  %v76 = sub i64 %v70, %v71
  %v77 = shl i64 %v76, 52
  %v78 = add i64 %v77, 2301339409586323456
  %v79 = bitcast i64 %v78 to double
  %v80 = fmul double %v75, %v79
  %v81 = fsub double 2.000000e+00, %v80
  %v82 = select i1 %v3, double %v81, double %v80
  %v83 = fmul double %x, %x
  %v84 = select i1 %v2, double 5.000000e-01, double %v83
  %v85 = tail call double @llvm.fma.f64(double %v84, double 0x3DE67FDAC649072E, double 0xBE1E473542F1C4A2)
  %v86 = tail call double @llvm.fma.f64(double %v85, double %v84, double 0x3E5180FAB209FF06)
  %v87 = tail call double @llvm.fma.f64(double %v86, double %v84, double 0xBE86470CDBDC7AC5)
  %v88 = tail call double @llvm.fma.f64(double %v87, double %v84, double 0x3EBBA820C20548F9)
  %v89 = tail call double @llvm.fma.f64(double %v88, double %v84, double 0xBEEF4DEC21BBB2DA)
  %v90 = tail call double @llvm.fma.f64(double %v89, double %v84, double 0x3F1F9A3CF7FBBD65)
  %v91 = tail call double @llvm.fma.f64(double %v90, double %v84, double 0xBF4C02DB9E140188)
  %v92 = tail call double @llvm.fma.f64(double %v91, double %v84, double 0x3F7565BCD2FA7E51)
  %v93 = tail call double @llvm.fma.f64(double %v92, double %v84, double 0xBF9B82CE313664E0)
  %v94 = tail call double @llvm.fma.f64(double %v93, double %v84, double 0x3FBCE2F21A045B8E)
  %v95 = tail call double @llvm.fma.f64(double %v94, double %v84, double 0xBFD812746B037A27)
  %v96 = tail call double @llvm.fma.f64(double %v95, double %v84, double 0x3FC06EBA8214DB69)
  %v97 = tail call double @llvm.fma.f64(double %x, double %v96, double %x)
  %v98 = fsub double 1.000000e+00, %v97
  %v99 = select i1 %v2, double %v82, double %v98
  ret double %v99
}

define internal float @m_erfinv_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fneg float %v1
  %v3 = tail call float @llvm.fma.f32(float %v2, float %v1, float 1.000000e+00)
  %v4 = fcmp oeq float %v3, 0.000000e+00
  %v5 = fcmp olt float %v3, 0.000000e+00
  %v6 = fcmp one float %v3, 0x7FF0000000000000
  %v7 = fcmp olt float %v3, 0x3810000000000000
  %v8 = fmul float %v3, 0x4170000000000000
  %v9 = select i1 %v7, float %v8, float %v3
  %v10 = bitcast float %v9 to i32
  %v11 = add i32 %v10, 4913933
  %v12 = lshr i32 %v11, 23
  %v13 = or disjoint i32 %v12, 1258291200
  %v14 = bitcast i32 %v13 to float
  %v15 = fadd float %v14, 0xC160000000000000
  %v16 = select i1 %v7, float 1.510000e+02, float 1.270000e+02
  %v17 = fsub float %v15, %v16
  %v18 = and i32 %v11, 8388607
  %v19 = add nuw nsw i32 %v18, 1060439283
  %v20 = bitcast i32 %v19 to float
  %v21 = fadd float %v20, -1.000000e+00
  %v22 = fadd float %v21, 2.000000e+00
  %v23 = fdiv float %v21, %v22
  %v24 = fmul float %v23, %v23
  %v25 = tail call float @llvm.fma.f32(float %v24, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v26 = tail call float @llvm.fma.f32(float %v25, float %v24, float 0x3FE55557A0000000)
  %v27 = fmul float %v21, %v21
  %v28 = fmul float %v27, 5.000000e-01
  %v29 = tail call float @llvm.fma.f32(float %v24, float %v26, float %v28)
  %v30 = fmul float %v17, 0x3EB7F7D1C0000000
  %v31 = tail call float @llvm.fma.f32(float %v23, float %v29, float %v30)
  %v32 = fsub float %v31, %v28
  %v33 = fadd float %v21, %v32
  %v34 = tail call float @llvm.fma.f32(float %v17, float 0x3FE62E4000000000, float %v33)
  %v35 = select i1 %v6, float %v34, float %v3
  %v36 = fneg float %v35
  %v37 = select i1 %v5, float 0xFFF8000000000000, float %v36
  %v38 = select i1 %v4, float 0x7FF0000000000000, float %v37
  %v39 = fcmp ogt float %v38, 5.000000e+00
  %v40 = tail call float @llvm.sqrt.f32(float %v38)
  %v41 = fcmp ogt float %v40, 7.000000e+00
  %v42 = select i1 %v41, float 7.000000e+00, float %v40
  %v43 = fadd float %v42, -3.750000e+00
  %v44 = fadd float %v42, 2.000000e+00
  %v45 = fdiv float %v43, %v44
  %v46 = tail call float @llvm.fma.f32(float %v45, float 0xBF72870480000000, float 0xBFB7CBD600000000)
  %v47 = tail call float @llvm.fma.f32(float %v46, float %v45, float 0xBFA78806C0000000)
  %v48 = tail call float @llvm.fma.f32(float %v47, float %v45, float 0x3FA01BD2A0000000)
  %v49 = tail call float @llvm.fma.f32(float %v48, float %v45, float 0xBF9F2B3CA0000000)
  %v50 = tail call float @llvm.fma.f32(float %v49, float %v45, float 0xBF99533C60000000)
  %v51 = tail call float @llvm.fma.f32(float %v50, float %v45, float 0x3FB46B7720000000)
  %v52 = tail call float @llvm.fma.f32(float %v51, float %v45, float 0xBFA62FB080000000)
  %v53 = tail call float @llvm.fma.f32(float %v42, float %v52, float %v40)
  %v54 = fadd float %v38, -2.500000e+00
  %v55 = tail call float @llvm.fma.f32(float %v54, float 0xBE42E0CE80000000, float 0x3E58F23AE0000000)
  %v56 = tail call float @llvm.fma.f32(float %v55, float %v54, float 0x3E9F48B1C0000000)
  %v57 = tail call float @llvm.fma.f32(float %v56, float %v54, float 0xBECD0C1C80000000)
  %v58 = tail call float @llvm.fma.f32(float %v57, float %v54, float 0xBED4D15680000000)
  %v59 = tail call float @llvm.fma.f32(float %v58, float %v54, float 0x3F2C9E6CA0000000)
  %v60 = tail call float @llvm.fma.f32(float %v59, float %v54, float 0xBF54866160000000)
  %v61 = tail call float @llvm.fma.f32(float %v60, float %v54, float 0xBF711C4EC0000000)
  %v62 = tail call float @llvm.fma.f32(float %v61, float %v54, float 0x3FCF91E8A0000000)
  %v63 = tail call float @llvm.fma.f32(float %v62, float %v54, float 0x3FE00B8BA0000000)
  %v64 = tail call float @llvm.fma.f32(float %v1, float %v63, float %v1)
  %v65 = select i1 %v39, float %v53, float %v64
  %v66 = tail call float @llvm.copysign.f32(float %v65, float %x)
  ret float %v66
}

define internal double @m_erfinv_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fneg double %v1
  %v3 = tail call double @llvm.fma.f64(double %v2, double %v1, double 1.000000e+00)
  %v4 = fcmp oeq double %v3, 0.000000e+00
  %v5 = fcmp olt double %v3, 0.000000e+00
  %v6 = fcmp one double %v3, 0x7FF0000000000000
  %v7 = fcmp olt double %v3, 0x10000000000000
  %v8 = fmul double %v3, 0x4340000000000000
  %v9 = select i1 %v7, double %v8, double %v3
  %v10 = bitcast double %v9 to i64
  %v11 = add i64 %v10, 2638147582215219
  %v12 = lshr i64 %v11, 52
  %v13 = or disjoint i64 %v12, 4841369599423283200
  %v14 = bitcast i64 %v13 to double
  %v15 = fadd double %v14, 0xC330000000000000
  %v16 = select i1 %v7, double 1.076000e+03, double 1.023000e+03
  %v17 = fsub double %v15, %v16
  %v18 = and i64 %v11, 4503599627370495
  %v19 = add nuw nsw i64 %v18, 4604544271217802189
  %v20 = bitcast i64 %v19 to double
  %v21 = fadd double %v20, -1.000000e+00
  %v22 = fadd double %v21, 2.000000e+00
  %v23 = fdiv double %v21, %v22
  %v24 = fmul double %v23, %v23
  %v25 = tail call double @llvm.fma.f64(double %v24, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v24, double 0x3FC74664A41971F1)
  %v27 = tail call double @llvm.fma.f64(double %v26, double %v24, double 0x3FCC71C51D57B847)
  %v28 = tail call double @llvm.fma.f64(double %v27, double %v24, double 0x3FD249249422C781)
  %v29 = tail call double @llvm.fma.f64(double %v28, double %v24, double 0x3FD999999997F9E0)
  %v30 = tail call double @llvm.fma.f64(double %v29, double %v24, double 0x3FE5555555555593)
  %v31 = fmul double %v21, %v21
  %v32 = fmul double %v31, 5.000000e-01
  %v33 = tail call double @llvm.fma.f64(double %v24, double %v30, double %v32)
  %v34 = fmul double %v17, 0xBD48432A1B0E2634
  %v35 = tail call double @llvm.fma.f64(double %v23, double %v33, double %v34)
  %v36 = fsub double %v35, %v32
  %v37 = fadd double %v21, %v36
  %v38 = tail call double @llvm.fma.f64(double %v17, double 0x3FE62E42FEFA4000, double %v37)
  %v39 = select i1 %v6, double %v38, double %v3
  %v40 = fneg double %v39
  %v41 = select i1 %v5, double 0xFFF8000000000000, double %v40
  %v42 = select i1 %v4, double 0x7FF0000000000000, double %v41
  %v43 = fcmp ogt double %v42, 6.250000e+00
  %v44 = tail call double @llvm.sqrt.f64(double %v42)
  %v45 = fcmp ogt double %v44, 7.000000e+00
  %v46 = select i1 %v45, double 7.000000e+00, double %v44
  %v47 = fadd double %v46, -3.750000e+00
  %v48 = fadd double %v46, 2.000000e+00
  %v49 = fdiv double %v47, %v48
  %v50 = tail call double @llvm.fma.f64(double %v49, double 0x403DA7C0962DA322, double 0x406253F48F8F84CC)
  %v51 = tail call double @llvm.fma.f64(double %v50, double %v49, double 0xC02A8F29D4646258)
  %v52 = tail call double @llvm.fma.f64(double %v51, double %v49, double 0xC05AC039C651B35C)
  %v53 = tail call double @llvm.fma.f64(double %v52, double %v49, double 0x3FE9E0E6FCBC34BC)
  %v54 = tail call double @llvm.fma.f64(double %v53, double %v49, double 0x4045983134678320)
  %v55 = tail call double @llvm.fma.f64(double %v54, double %v49, double 0xBFA52D00BECEBA09)
  %v56 = tail call double @llvm.fma.f64(double %v55, double %v49, double 0xC02B3BDB98E772E6)
  %v57 = tail call double @llvm.fma.f64(double %v56, double %v49, double 0x3FEE7C2E2DB88C83)
  %v58 = tail call double @llvm.fma.f64(double %v57, double %v49, double 0x400D7EEDC8CBAB47)
  %v59 = tail call double @llvm.fma.f64(double %v58, double %v49, double 0xBFEC2275F02622D3)
  %v60 = tail call double @llvm.fma.f64(double %v59, double %v49, double 0xBFE817D7C4C2836B)
  %v61 = tail call double @llvm.fma.f64(double %v60, double %v49, double 0x3FDC2CFA970EF1C3)
  %v62 = tail call double @llvm.fma.f64(double %v61, double %v49, double 0x3F9B4833976FE8D5)
  %v63 = tail call double @llvm.fma.f64(double %v62, double %v49, double 0xBFBF883230F41C50)
  %v64 = tail call double @llvm.fma.f64(double %v63, double %v49, double 0x3FB07B86A59881D3)
  %v65 = tail call double @llvm.fma.f64(double %v64, double %v49, double 0xBF84C3A6658F9A60)
  %v66 = tail call double @llvm.fma.f64(double %v65, double %v49, double 0xBF94A97DF7C31FBD)
  %v67 = tail call double @llvm.fma.f64(double %v66, double %v49, double 0x3FA1CB98D32E7395)
  %v68 = tail call double @llvm.fma.f64(double %v67, double %v49, double 0xBF9F0A1A841E3675)
  %v69 = tail call double @llvm.fma.f64(double %v68, double %v49, double 0xBF995499551B1506)
  %v70 = tail call double @llvm.fma.f64(double %v69, double %v49, double 0x3FB46B72BAFB10F7)
  %v71 = tail call double @llvm.fma.f64(double %v70, double %v49, double 0xBFA62FB07503CAB3)
  %v72 = tail call double @llvm.fma.f64(double %v46, double %v71, double %v44)
  %v73 = fadd double %v42, -3.125000e+00
  %v74 = tail call double @llvm.fma.f64(double %v73, double 0xBB76ADC395381914, double 0x3BAE67F9BFE638B4)
  %v75 = tail call double @llvm.fma.f64(double %v74, double %v73, double 0x3BD3868255A0DABE)
  %v76 = tail call double @llvm.fma.f64(double %v75, double %v73, double 0xBC19BBFD6D86AB1F)
  %v77 = tail call double @llvm.fma.f64(double %v76, double %v73, double 0x3C29AA87CB068EB0)
  %v78 = tail call double @llvm.fma.f64(double %v77, double %v73, double 0x3C71EC22D788B004)
  %v79 = tail call double @llvm.fma.f64(double %v78, double %v73, double 0xBCA1CA76F5A2F3BB)
  %v80 = tail call double @llvm.fma.f64(double %v79, double %v73, double 0xBC86FCF9E88B7CEE)
  %v81 = tail call double @llvm.fma.f64(double %v80, double %v73, double 0x3CFD6C6F08370B40)
  %v82 = tail call double @llvm.fma.f64(double %v81, double %v73, double 0xBD2686E5FE4DF756)
  %v83 = tail call double @llvm.fma.f64(double %v82, double %v73, double 0xBD36BDBE9A3B4ACF)
  %v84 = tail call double @llvm.fma.f64(double %v83, double %v73, double 0x3D87235DFEAAC458)
  %v85 = tail call double @llvm.fma.f64(double %v84, double %v73, double 0xBDAC8A3F8F4819AA)
  %v86 = tail call double @llvm.fma.f64(double %v85, double %v73, double 0xBDCDC3F138246CB4)
  %v87 = tail call double @llvm.fma.f64(double %v86, double %v73, double 0x3E120F5363D677EA)
  %v88 = tail call double @llvm.fma.f64(double %v87, double %v73, double 0xBE31A9EB0F06F264)
  %v89 = tail call double @llvm.fma.f64(double %v88, double %v73, double 0xBE5F36CED466EA96)
  %v90 = tail call double @llvm.fma.f64(double %v89, double %v73, double 0x3E9C6B4F88BEF332)
  %v91 = tail call double @llvm.fma.f64(double %v90, double %v73, double 0xBEB6E8A53CDE9A3D)
  %v92 = tail call double @llvm.fma.f64(double %v91, double %v73, double 0xBEED1D1F7CA2238E)
  %v93 = tail call double @llvm.fma.f64(double %v92, double %v73, double 0x3F2879C2A20B529A)
  %v94 = tail call double @llvm.fma.f64(double %v93, double %v73, double 0xBF484576948356A9)
  %v95 = tail call double @llvm.fma.f64(double %v94, double %v73, double 0xBF78B6C33114EAD6)
  %v96 = tail call double @llvm.fma.f64(double %v95, double %v73, double 0x3FCEBD80D9B13DFA)
  %v97 = tail call double @llvm.fma.f64(double %v96, double %v73, double 0x3FE4EABCF9335D0C)
  %v98 = tail call double @llvm.fma.f64(double %v1, double %v97, double %v1)
  %v99 = select i1 %v43, double %v72, double %v98
  %v100 = tail call double @llvm.copysign.f64(double %v99, double %x)
  ret double %v100
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
  %v14 = bitcast float %v5 to i32
  %v15 = add i32 %v14, -1262485376
  %v16 = lshr i32 %v15, 1
  %v17 = shl i32 %v16, 23
  %v18 = add i32 %v17, 528482304
  %v19 = bitcast i32 %v18 to float
  %v20 = fmul float %v13, %v19
  %v21 = sub i32 %v15, %v16
  %v22 = shl i32 %v21, 23
  %v23 = add i32 %v22, 528482304
  %v24 = bitcast i32 %v23 to float
  %v25 = fmul float %v20, %v24
  ret float %v25
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
  %v20 = bitcast double %v5 to i64
  %v21 = add i64 %v20, -4843621399236967424
  %v22 = lshr i64 %v21, 1
  %v23 = shl i64 %v22, 52
  %v24 = add i64 %v23, 2301339409586323456
  %v25 = bitcast i64 %v24 to double
  %v26 = fmul double %v19, %v25
  %v27 = sub i64 %v21, %v22
  %v28 = shl i64 %v27, 52
  %v29 = add i64 %v28, 2301339409586323456
  %v30 = bitcast i64 %v29 to double
  %v31 = fmul double %v26, %v30
  ret double %v31
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
  %v17 = bitcast float %v5 to i32
  %v18 = add i32 %v17, -1262485376
  %v19 = lshr i32 %v18, 1
  %v20 = shl i32 %v19, 23
  %v21 = add i32 %v20, 528482304
  %v22 = bitcast i32 %v21 to float
  %v23 = fmul float %v16, %v22
  %v24 = sub i32 %v18, %v19
  %v25 = shl i32 %v24, 23
  %v26 = add i32 %v25, 528482304
  %v27 = bitcast i32 %v26 to float
  %v28 = fmul float %v23, %v27
  ret float %v28
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
  %v23 = bitcast double %v5 to i64
  %v24 = add i64 %v23, -4843621399236967424
  %v25 = lshr i64 %v24, 1
  %v26 = shl i64 %v25, 52
  %v27 = add i64 %v26, 2301339409586323456
  %v28 = bitcast i64 %v27 to double
  %v29 = fmul double %v22, %v28
  %v30 = sub i64 %v24, %v25
  %v31 = shl i64 %v30, 52
  %v32 = add i64 %v31, 2301339409586323456
  %v33 = bitcast i64 %v32 to double
  %v34 = fmul double %v29, %v33
  ret double %v34
}

define internal float @m_expm1_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt float %x, -1.800000e+01
  %v2 = select i1 %v1, float -1.800000e+01, float %x
  %v3 = fcmp ogt float %v2, 8.900000e+01
  %v4 = select i1 %v3, float 8.900000e+01, float %v2
  %v5 = tail call float @llvm.fma.f32(float %v4, float 0x3FF7154760000000, float 0x4168000000000000)
  %v6 = bitcast float %v5 to i32
  %v7 = shl i32 %v6, 23
  %v8 = add i32 %v7, 1056964608
  %v9 = bitcast i32 %v8 to float
  %v10 = fadd float %v5, 0xC168000000000000
  %v11 = fneg float %v10
  %v12 = tail call float @llvm.fma.f32(float %v11, float 0x3FE62E4000000000, float %v4)
  %v13 = tail call float @llvm.fma.f32(float %v11, float 0x3EB7F7D1C0000000, float %v12)
  %v14 = fmul float %v13, %v13
  %v15 = tail call float @llvm.fma.f32(float %v13, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v16 = tail call float @llvm.fma.f32(float %v15, float %v13, float 0x3FA5555240000000)
  %v17 = tail call float @llvm.fma.f32(float %v16, float %v13, float 0x3FC5554900000000)
  %v18 = tail call float @llvm.fma.f32(float %v17, float %v13, float 5.000000e-01)
  %v19 = tail call float @llvm.fma.f32(float %v14, float %v18, float %v13)
  %v20 = fadd float %v9, -5.000000e-01
  %v21 = tail call float @llvm.fma.f32(float %v9, float %v19, float %v20)
  %v22 = fmul float %v21, 2.000000e+00
  %v23 = tail call float @llvm.copysign.f32(float %v22, float %x)
  ret float %v23
}

define internal double @m_expm1_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt double %x, -4.000000e+01
  %v2 = select i1 %v1, double -4.000000e+01, double %x
  %v3 = fcmp ogt double %v2, 0x40862F3333333333
  %v4 = select i1 %v3, double 0x40862F3333333333, double %v2
  %v5 = tail call double @llvm.fma.f64(double %v4, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v6 = bitcast double %v5 to i64
  %v7 = shl i64 %v6, 52
  %v8 = add i64 %v7, 4602678819172646912
  %v9 = bitcast i64 %v8 to double
  %v10 = fadd double %v5, 0xC338000000000000
  %v11 = fneg double %v10
  %v12 = tail call double @llvm.fma.f64(double %v11, double 0x3FE62E42FEFA4000, double %v4)
  %v13 = tail call double @llvm.fma.f64(double %v11, double 0xBD48432A1B0E2634, double %v12)
  %v14 = fmul double %v13, %v13
  %v15 = tail call double @llvm.fma.f64(double %v13, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v13, double 0x3E927E4DB81FC5C4)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v13, double 0x3EC71DDED4DF15D0)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v13, double 0x3EFA01A01A70E1D0)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v13, double 0x3F2A01A01B4A1A68)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v13, double 0x3F56C16C16C1618C)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v13, double 0x3F8111111110E966)
  %v22 = tail call double @llvm.fma.f64(double %v21, double %v13, double 0x3FA5555555555556)
  %v23 = tail call double @llvm.fma.f64(double %v22, double %v13, double 0x3FC555555555555C)
  %v24 = tail call double @llvm.fma.f64(double %v23, double %v13, double 5.000000e-01)
  %v25 = tail call double @llvm.fma.f64(double %v14, double %v24, double %v13)
  %v26 = fadd double %v9, -5.000000e-01
  %v27 = tail call double @llvm.fma.f64(double %v9, double %v25, double %v26)
  %v28 = fmul double %v27, 2.000000e+00
  %v29 = tail call double @llvm.copysign.f64(double %v28, double %x)
  ret double %v29
}

define internal float @m_floor_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.floor.f32(float %x)
  ret float %v1
}

define internal double @m_floor_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.floor.f64(double %x)
  ret double %v1
}

define internal float @m_fmod_float32(float %x, float %y) nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = tail call float @llvm.fabs.f32(float %y)
  %v3 = fcmp one float %v1, 0x7FF0000000000000
  %v4 = fcmp one float %y, 0.000000e+00
  %v5 = select i1 %v3, i1 %v4, i1 false
  br i1 %v5, label %b2, label %b8
b2:
  %v6 = fcmp ult float %v1, %v2
  br i1 %v6, label %b8, label %b3
b3:
  %v7 = fmul float %v1, 0x3EB0000000000000
  %v8 = fcmp ugt float %v2, %v7
  br i1 %v8, label %b5, label %b4
b4:
  %v9 = phi float [ %v10, %b4 ], [ %v2, %b3 ]
  %v10 = fmul float %v9, 0x4130000000000000
  %v11 = fcmp ugt float %v10, %v7
  br i1 %v11, label %b5, label %b4
b5:
  %v12 = phi float [ %v2, %b3 ], [ %v10, %b4 ]
  %v13 = fdiv float %v1, %v12
  %v14 = tail call float @llvm.trunc.f32(float %v13)
  %v15 = fneg float %v14
  %v16 = tail call float @llvm.fma.f32(float %v15, float %v12, float %v1)
  %v17 = fcmp olt float %v16, 0.000000e+00
  %v18 = fadd float %v12, %v16
  %v19 = select i1 %v17, float %v18, float %v16
  %v20 = fcmp oeq float %v12, %v2
  br i1 %v20, label %b6, label %b7
b6:
  %v21 = phi float [ %v19, %b5 ], [ %v22, %b7 ]
  %v23 = tail call float @llvm.copysign.f32(float %v21, float %x)
  br label %b8
b7:
  %v24 = phi float [ %v22, %b7 ], [ %v19, %b5 ]
  %v25 = phi float [ %v26, %b7 ], [ %v12, %b5 ]
  %v26 = fmul float %v25, 0x3EB0000000000000
  %v27 = fdiv float %v24, %v26
  %v28 = tail call float @llvm.trunc.f32(float %v27)
  %v29 = fneg float %v28
  %v30 = tail call float @llvm.fma.f32(float %v29, float %v26, float %v24)
  %v31 = fcmp olt float %v30, 0.000000e+00
  %v32 = fadd float %v26, %v30
  %v22 = select i1 %v31, float %v32, float %v30
  %v33 = fcmp oeq float %v26, %v2
  br i1 %v33, label %b6, label %b7
b8:
  %v34 = phi float [ %v23, %b6 ], [ 0x7FF8000000000000, %b1 ], [ %x, %b2 ]
  ret float %v34
}

define internal double @m_fmod_float64(double %x, double %y) nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = tail call double @llvm.fabs.f64(double %y)
  %v3 = fcmp one double %v1, 0x7FF0000000000000
  %v4 = fcmp one double %y, 0.000000e+00
  %v5 = select i1 %v3, i1 %v4, i1 false
  br i1 %v5, label %b2, label %b8
b2:
  %v6 = fcmp ult double %v1, %v2
  br i1 %v6, label %b8, label %b3
b3:
  %v7 = fmul double %v1, 0x3CF0000000000000
  %v8 = fcmp ugt double %v2, %v7
  br i1 %v8, label %b5, label %b4
b4:
  %v9 = phi double [ %v10, %b4 ], [ %v2, %b3 ]
  %v10 = fmul double %v9, 0x42F0000000000000
  %v11 = fcmp ugt double %v10, %v7
  br i1 %v11, label %b5, label %b4
b5:
  %v12 = phi double [ %v2, %b3 ], [ %v10, %b4 ]
  %v13 = fdiv double %v1, %v12
  %v14 = tail call double @llvm.trunc.f64(double %v13)
  %v15 = fneg double %v14
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v12, double %v1)
  %v17 = fcmp olt double %v16, 0.000000e+00
  %v18 = fadd double %v12, %v16
  %v19 = select i1 %v17, double %v18, double %v16
  %v20 = fcmp oeq double %v12, %v2
  br i1 %v20, label %b6, label %b7
b6:
  %v21 = phi double [ %v19, %b5 ], [ %v22, %b7 ]
  %v23 = tail call double @llvm.copysign.f64(double %v21, double %x)
  br label %b8
b7:
  %v24 = phi double [ %v22, %b7 ], [ %v19, %b5 ]
  %v25 = phi double [ %v26, %b7 ], [ %v12, %b5 ]
  %v26 = fmul double %v25, 0x3CF0000000000000
  %v27 = fdiv double %v24, %v26
  %v28 = tail call double @llvm.trunc.f64(double %v27)
  %v29 = fneg double %v28
  %v30 = tail call double @llvm.fma.f64(double %v29, double %v26, double %v24)
  %v31 = fcmp olt double %v30, 0.000000e+00
  %v32 = fadd double %v26, %v30
  %v22 = select i1 %v31, double %v32, double %v30
  %v33 = fcmp oeq double %v26, %v2
  br i1 %v33, label %b6, label %b7
b8:
  %v34 = phi double [ %v23, %b6 ], [ 0x7FF8000000000000, %b1 ], [ %x, %b2 ]
  ret double %v34
}

define internal float @m_fmod_small_float32(float %x, float %y) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = tail call float @llvm.fabs.f32(float %y)
  %v3 = fcmp olt float %v1, %v2
  %v4 = fdiv float %v1, %v2
  %v5 = tail call float @llvm.trunc.f32(float %v4)
  %v6 = fneg float %v5
  %v7 = tail call float @llvm.fma.f32(float %v6, float %v2, float %v1)
  %v8 = fcmp olt float %v7, 0.000000e+00
  %v9 = fadd float %v2, %v7
  %v10 = select i1 %v8, float %v9, float %v7
  %v11 = select i1 %v3, float %v1, float %v10
  %v12 = tail call float @llvm.copysign.f32(float %v11, float %x)
  ret float %v12
}

define internal double @m_fmod_small_float64(double %x, double %y) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = tail call double @llvm.fabs.f64(double %y)
  %v3 = fcmp olt double %v1, %v2
  %v4 = fdiv double %v1, %v2
  %v5 = tail call double @llvm.trunc.f64(double %v4)
  %v6 = fneg double %v5
  %v7 = tail call double @llvm.fma.f64(double %v6, double %v2, double %v1)
  %v8 = fcmp olt double %v7, 0.000000e+00
  %v9 = fadd double %v2, %v7
  %v10 = select i1 %v8, double %v9, double %v7
  %v11 = select i1 %v3, double %v1, double %v10
  %v12 = tail call double @llvm.copysign.f64(double %v11, double %x)
  ret double %v12
}

define internal float @m_gamma_float32(float %x) nounwind {
b1:
  %v1 = freeze float %x
  %v2 = fpext float %v1 to double
  %v3 = fcmp oeq float %v1, 0.000000e+00
  br i1 %v3, label %b18, label %b2
b2:
  %v4 = fcmp olt float %v1, 0.000000e+00
  %v5 = tail call double @llvm.floor.f64(double %v2)
  %v6 = fcmp oeq double %v5, %v2
  %v7 = and i1 %v4, %v6
  br i1 %v7, label %b21, label %b3
b3:
  %v8 = fcmp uno float %v1, 0.000000e+00
  %v9 = fcmp ogt double %v2, 1.717000e+02
  %v10 = or i1 %v8, %v9
  br i1 %v10, label %b4, label %b5
b4:
  %v11 = fadd float %v1, 0x7FF0000000000000
  br label %b21
b5:
  %v12 = fcmp olt float %v1, -1.850000e+02
  br i1 %v12, label %b6, label %b7
b6:
  %v13 = fmul double %v5, 5.000000e-01
  %v14 = tail call double @llvm.floor.f64(double %v13)
  %v15 = fmul double %v14, 2.000000e+00
  %v16 = fcmp oeq double %v5, %v15
  %v17 = select i1 %v16, float 0.000000e+00, float -0.000000e+00
  br label %b21
b7:
  %v18 = tail call double @llvm.fabs.f64(double %v2)
  %v19 = fcmp olt double %v18, 1.200000e+01
  br i1 %v19, label %b8, label %b12
b8:
  %v20 = fcmp olt float %v1, 1.500000e+00
  %v21 = fcmp ogt float %v1, 2.500000e+00
  %v22 = or i1 %v20, %v21
  br i1 %v22, label %b9, label %b19
b9:
  br i1 %v20, label %b10, label %b11
b10:
  %v23 = phi double [ %v24, %b10 ], [ %v2, %b9 ]
  %v25 = phi double [ %v26, %b10 ], [ 0.000000e+00, %b9 ]
  %v27 = phi double [ %v28, %b10 ], [ 1.000000e+00, %b9 ]
  %v28 = fmul double %v23, %v27
  %v29 = fneg double %v28
  %v30 = tail call double @llvm.fma.f64(double %v27, double %v23, double %v29)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v23, double %v30)
  %v24 = fadd double %v23, 1.000000e+00
  %v31 = fcmp olt double %v24, 1.500000e+00
  %v32 = fcmp ogt double %v24, 2.500000e+00
  %v33 = or i1 %v31, %v32
  br i1 %v33, label %b10, label %b19
b11:
  %v34 = phi double [ %v35, %b11 ], [ %v2, %b9 ]
  %v36 = phi double [ %v37, %b11 ], [ 0.000000e+00, %b9 ]
  %v38 = phi double [ %v39, %b11 ], [ 1.000000e+00, %b9 ]
  %v35 = fadd double %v34, -1.000000e+00
  %v39 = fmul double %v35, %v38
  %v40 = fneg double %v39
  %v41 = tail call double @llvm.fma.f64(double %v38, double %v35, double %v40)
  %v37 = tail call double @llvm.fma.f64(double %v36, double %v35, double %v41)
  %v42 = fcmp olt double %v35, 1.500000e+00
  %v43 = fcmp ogt double %v35, 2.500000e+00
  %v44 = or i1 %v42, %v43
  br i1 %v44, label %b11, label %b19
b12:
  %v45 = fmul double %v18, 5.000000e-01
  %v46 = fadd double %v45, -2.500000e-01
  %v47 = tail call double @llvm.fabs.f64(double %v46)
  %v48 = fmul double %v47, 5.000000e-01
  %v49 = tail call double @llvm.trunc.f64(double %v48)
  %v50 = fmul double %v49, 5.000000e-01
  %v51 = tail call double @llvm.trunc.f64(double %v50)
  %v52 = fmul double %v51, 5.000000e-01
  %v53 = tail call double @llvm.trunc.f64(double %v52)
  %v54 = fmul double %v2, %v2
  %v55 = fmul double %v54, %v54
  %v56 = fadd double %v49, %v49
  %v57 = fcmp une double %v47, %v56
  %v58 = select i1 %v57, double %v18, double 1.000000e+00
  %v59 = fadd double %v51, %v51
  %v60 = fcmp une double %v49, %v59
  %v61 = select i1 %v60, double %v54, double 1.000000e+00
  %v62 = fmul double %v58, %v61
  %v63 = fadd double %v53, %v53
  %v64 = fcmp une double %v51, %v63
  %v65 = select i1 %v64, double %v55, double 1.000000e+00
  %v66 = fmul double %v62, %v65
  %v67 = fcmp oeq double %v47, 8.000000e+00
  %v68 = fmul double %v55, %v55
  %v69 = select i1 %v67, double %v68, double %v66
  %v70 = tail call double @llvm.trunc.f64(double %v47)
  %v71 = fcmp oeq double %v47, %v70
  %v72 = fcmp ole double %v47, 8.000000e+00
  %v73 = and i1 %v72, %v71
  %v74 = select i1 %v73, double %v69, double 0x7FF8000000000000
  %v75 = fcmp olt double %v46, 0.000000e+00
  %v76 = tail call double @llvm.fabs.f64(double %v74)
  %v77 = fcmp oeq double %v76, 0x7FF0000000000000
  %v78 = fdiv double 1.000000e+00, %v74
  %v79 = select i1 %v77, double 0x7FF8000000000000, double %v78
  %v80 = select i1 %v75, double %v79, double %v74
  %v81 = bitcast double %v18 to i64
  %v82 = add nuw i64 %v81, 2638147582215219
  %v83 = lshr i64 %v82, 52
  %v84 = or disjoint i64 %v83, 4841369599423283200
  %v85 = bitcast i64 %v84 to double
  %v86 = fadd double %v85, 0xC330000000000000
  %v87 = fadd double %v86, -1.023000e+03
  %v88 = fmul double %v87, 0x3FE62E42FEFA4000
  %v89 = and i64 %v82, 4503599627370495
  %v90 = add nuw nsw i64 %v89, 4604544271217802189
  %v91 = bitcast i64 %v90 to double
  %v92 = fadd double %v91, -1.000000e+00
  %v93 = fadd double %v92, 2.000000e+00
  %v94 = fdiv double 1.000000e+00, %v93
  %v95 = fmul double %v92, %v94
  %v96 = fmul double %v95, %v95
  %v97 = fmul double %v95, %v96
  %v98 = tail call double @llvm.fma.f64(double %v96, double 0x3FB0E48C86029D98, double 0x3FB0F7F491D7840F)
  %v99 = tail call double @llvm.fma.f64(double %v98, double %v96, double 0x3FB3B1EF291B286B)
  %v100 = tail call double @llvm.fma.f64(double %v99, double %v96, double 0x3FB745CE9C13DB3B)
  %v101 = tail call double @llvm.fma.f64(double %v100, double %v96, double 0x3FBC71C722DC3A56)
  %v102 = tail call double @llvm.fma.f64(double %v101, double %v96, double 0x3FC2492492457977)
  %v103 = tail call double @llvm.fma.f64(double %v102, double %v96, double 0x3FC9999999999B32)
  %v104 = fmul double %v96, %v103
  %v105 = fadd double %v104, 0x3FD5555555555555
  %v106 = fmul double %v97, %v105
  %v107 = fadd double %v95, %v106
  %v108 = fmul double %v107, 2.000000e+00
  %v109 = fadd double %v88, %v108
  %v110 = fmul double %v46, %v109
  %v111 = fcmp olt double %v110, -7.460000e+02
  %v112 = fcmp ogt double %v110, 7.105000e+02
  %v113 = select i1 %v112, double 7.105000e+02, double %v110
  %v114 = select i1 %v111, double -7.460000e+02, double %v113
  %v115 = or i1 %v111, %v112
  %v116 = fsub double %v88, %v109
  %v117 = fadd double %v108, %v116
  %v118 = fsub double %v95, %v107
  %v119 = fadd double %v106, %v118
  %v120 = fneg double %v95
  %v121 = fadd double %v93, -2.000000e+00
  %v122 = fsub double %v92, %v121
  %v123 = tail call double @llvm.fma.f64(double %v120, double %v93, double %v92)
  %v124 = tail call double @llvm.fma.f64(double %v120, double %v122, double %v123)
  %v125 = fmul double %v94, %v124
  %v126 = fsub double 0x3FD5555555555555, %v105
  %v127 = fadd double %v104, %v126
  %v128 = fadd double %v127, 0x3C75555555555555
  %v129 = fmul double %v95, 2.000000e+00
  %v130 = fneg double %v96
  %v131 = tail call double @llvm.fma.f64(double %v95, double %v95, double %v130)
  %v132 = tail call double @llvm.fma.f64(double %v129, double %v125, double %v131)
  %v133 = fneg double %v97
  %v134 = tail call double @llvm.fma.f64(double %v95, double %v96, double %v133)
  %v135 = tail call double @llvm.fma.f64(double %v125, double %v96, double %v134)
  %v136 = tail call double @llvm.fma.f64(double %v95, double %v132, double %v135)
  %v137 = fneg double %v106
  %v138 = tail call double @llvm.fma.f64(double %v97, double %v105, double %v137)
  %v139 = tail call double @llvm.fma.f64(double %v136, double %v105, double %v138)
  %v140 = tail call double @llvm.fma.f64(double %v97, double %v128, double %v139)
  %v141 = fadd double %v125, %v140
  %v142 = fadd double %v119, %v141
  %v143 = fmul double %v142, 2.000000e+00
  %v144 = tail call double @llvm.fma.f64(double %v87, double 0xBD48432A1B0E2634, double %v143)
  %v145 = fadd double %v117, %v144
  %v146 = fneg double %v110
  %v147 = tail call double @llvm.fma.f64(double %v46, double %v109, double %v146)
  %v148 = tail call double @llvm.fma.f64(double %v46, double %v145, double %v147)
  %v149 = select i1 %v115, double 0.000000e+00, double %v148
  %v150 = fcmp oeq double %v18, 1.000000e+00
  %v151 = tail call double @llvm.fma.f64(double %v114, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v152 = fadd double %v151, 0xC338000000000000
  %v153 = fneg double %v152
  %v154 = tail call double @llvm.fma.f64(double %v153, double 0x3FE62E42FEFA4000, double %v114)
  %v155 = tail call double @llvm.fma.f64(double %v153, double 0xBD48432A1B0E2634, double %v154)
  %v156 = fmul double %v155, %v155
  %v157 = tail call double @llvm.fma.f64(double %v155, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v158 = tail call double @llvm.fma.f64(double %v157, double %v155, double 0x3E927E4DB81FC5C4)
  %v159 = tail call double @llvm.fma.f64(double %v158, double %v155, double 0x3EC71DDED4DF15D0)
  %v160 = tail call double @llvm.fma.f64(double %v159, double %v155, double 0x3EFA01A01A70E1D0)
  %v161 = tail call double @llvm.fma.f64(double %v160, double %v155, double 0x3F2A01A01B4A1A68)
  %v162 = tail call double @llvm.fma.f64(double %v161, double %v155, double 0x3F56C16C16C1618C)
  %v163 = tail call double @llvm.fma.f64(double %v162, double %v155, double 0x3F8111111110E966)
  %v164 = tail call double @llvm.fma.f64(double %v163, double %v155, double 0x3FA5555555555556)
  %v165 = tail call double @llvm.fma.f64(double %v164, double %v155, double 0x3FC555555555555C)
  %v166 = tail call double @llvm.fma.f64(double %v165, double %v155, double 5.000000e-01)
  %v167 = tail call double @llvm.fma.f64(double %v156, double %v166, double %v155)
  %v168 = fadd double %v167, 1.000000e+00
  %v169 = tail call double @llvm.fma.f64(double %v149, double %v168, double %v167)
  %v170 = fadd double %v169, 1.000000e+00
  %v171 = bitcast double %v151 to i64
  %v172 = add i64 %v171, -4843621399236967424
  %v173 = lshr i64 %v172, 1
  %v174 = shl i64 %v173, 52
  %v175 = add i64 %v174, 2301339409586323456
  %v176 = bitcast i64 %v175 to double
  %v177 = fmul double %v170, %v176
  %v178 = sub i64 %v172, %v173
  %v179 = shl i64 %v178, 52
  %v180 = add i64 %v179, 2301339409586323456
  %v181 = bitcast i64 %v180 to double
  %v182 = fmul double %v177, %v181
  %v183 = select i1 %v150, double 1.000000e+00, double %v182
  %v184 = fcmp ord double %v80, 0.000000e+00
  %v185 = select i1 %v184, double %v80, double %v183
  %v186 = fneg double %v18
  %v187 = fcmp ogt double %v18, 7.460000e+02
  %v188 = select i1 %v187, double -7.460000e+02, double %v186
  %v189 = tail call double @llvm.fma.f64(double %v188, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v190 = fadd double %v189, 0xC338000000000000
  %v191 = fneg double %v190
  %v192 = tail call double @llvm.fma.f64(double %v191, double 0x3FE62E42FEFA4000, double %v188)
  %v193 = tail call double @llvm.fma.f64(double %v191, double 0xBD48432A1B0E2634, double %v192)
  %v194 = fmul double %v193, %v193
  %v195 = tail call double @llvm.fma.f64(double %v193, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v196 = tail call double @llvm.fma.f64(double %v195, double %v193, double 0x3E927E4DB81FC5C4)
  %v197 = tail call double @llvm.fma.f64(double %v196, double %v193, double 0x3EC71DDED4DF15D0)
  %v198 = tail call double @llvm.fma.f64(double %v197, double %v193, double 0x3EFA01A01A70E1D0)
  %v199 = tail call double @llvm.fma.f64(double %v198, double %v193, double 0x3F2A01A01B4A1A68)
  %v200 = tail call double @llvm.fma.f64(double %v199, double %v193, double 0x3F56C16C16C1618C)
  %v201 = tail call double @llvm.fma.f64(double %v200, double %v193, double 0x3F8111111110E966)
  %v202 = tail call double @llvm.fma.f64(double %v201, double %v193, double 0x3FA5555555555556)
  %v203 = tail call double @llvm.fma.f64(double %v202, double %v193, double 0x3FC555555555555C)
  %v204 = tail call double @llvm.fma.f64(double %v203, double %v193, double 5.000000e-01)
  %v205 = tail call double @llvm.fma.f64(double %v194, double %v204, double %v193)
  %v206 = fadd double %v205, 1.000000e+00
  %v207 = bitcast double %v189 to i64
  %v208 = add i64 %v207, -4843621399236967424
  %v209 = lshr i64 %v208, 1
  %v210 = sub i64 %v208, %v209
  %v211 = shl i64 %v209, 52
  %v212 = add i64 %v211, 2301339409586323456
  %v213 = shl i64 %v210, 52
  %v214 = add i64 %v213, 2301339409586323456
  %v215 = bitcast i64 %v212 to double
  %v216 = fmul double %v206, %v215
  %v217 = bitcast i64 %v214 to double
  %v218 = fmul double %v216, %v217
  %v219 = fdiv double 1.000000e+00, %v54
  %v220 = tail call double @llvm.fma.f64(double %v219, double 0xBF9E4286CB0F5397, double 0x3F7A41A41A41A41B)
  %v221 = tail call double @llvm.fma.f64(double %v220, double %v219, double 0xBF5F6AB0D9993C7C)
  %v222 = tail call double @llvm.fma.f64(double %v221, double %v219, double 0x3F4B951E2B18FF24)
  %v223 = tail call double @llvm.fma.f64(double %v222, double %v219, double 0xBF43813813813813)
  %v224 = tail call double @llvm.fma.f64(double %v223, double %v219, double 0x3F4A01A01A01A01A)
  %v225 = tail call double @llvm.fma.f64(double %v224, double %v219, double 0xBF66C16C16C16C17)
  %v226 = tail call double @llvm.fma.f64(double %v225, double %v219, double 0x3FB5555555555555)
  %v227 = fdiv double %v226, %v18
  %v228 = fcmp olt double %v227, -7.460000e+02
  br i1 %v228, label %b16, label %b14
b13:
  %v229 = fmul double %v185, %v230
  br label %b20
b14:
  %v231 = fcmp ogt double %v227, 7.105000e+02
  br i1 %v231, label %b16, label %b15
b15:
  br label %b16
b16:
  %v232 = phi double [ 7.105000e+02, %b14 ], [ %v227, %b15 ], [ -7.460000e+02, %b12 ]
  %v233 = tail call double @llvm.fma.f64(double %v232, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v234 = fadd double %v233, 0xC338000000000000
  %v235 = fneg double %v234
  %v236 = tail call double @llvm.fma.f64(double %v235, double 0x3FE62E42FEFA4000, double %v232)
  %v237 = tail call double @llvm.fma.f64(double %v235, double 0xBD48432A1B0E2634, double %v236)
  %v238 = fmul double %v237, %v237
  %v239 = tail call double @llvm.fma.f64(double %v237, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v240 = tail call double @llvm.fma.f64(double %v239, double %v237, double 0x3E927E4DB81FC5C4)
  %v241 = tail call double @llvm.fma.f64(double %v240, double %v237, double 0x3EC71DDED4DF15D0)
  %v242 = tail call double @llvm.fma.f64(double %v241, double %v237, double 0x3EFA01A01A70E1D0)
  %v243 = tail call double @llvm.fma.f64(double %v242, double %v237, double 0x3F2A01A01B4A1A68)
  %v244 = tail call double @llvm.fma.f64(double %v243, double %v237, double 0x3F56C16C16C1618C)
  %v245 = tail call double @llvm.fma.f64(double %v244, double %v237, double 0x3F8111111110E966)
  %v246 = tail call double @llvm.fma.f64(double %v245, double %v237, double 0x3FA5555555555556)
  %v247 = tail call double @llvm.fma.f64(double %v246, double %v237, double 0x3FC555555555555C)
  %v248 = tail call double @llvm.fma.f64(double %v247, double %v237, double 5.000000e-01)
  %v249 = tail call double @llvm.fma.f64(double %v238, double %v248, double %v237)
  %v250 = fadd double %v249, 1.000000e+00
  %v251 = bitcast double %v233 to i64
  %v252 = add i64 %v251, -4843621399236967424
  %v253 = lshr i64 %v252, 1
  %v254 = sub i64 %v252, %v253
  %v255 = shl i64 %v253, 52
  %v256 = add i64 %v255, 2301339409586323456
  %v257 = shl i64 %v254, 52
  %v258 = add i64 %v257, 2301339409586323456
  %v259 = bitcast i64 %v256 to double
  %v260 = fmul double %v250, %v259
  %v261 = bitcast i64 %v258 to double
  %v262 = fmul double %v260, %v261
  %v263 = fmul double %v185, 0x40040D931FF62705
  %v264 = fmul double %v218, %v263
  %v230 = fmul double %v264, %v262
  %v265 = fcmp ogt float %v1, 0.000000e+00
  br i1 %v265, label %b13, label %b17
b17:
  %v266 = tail call double @llvm.roundeven.f64(double %v18)
  %v267 = fsub double %v18, %v266
  %v268 = fmul double %v267, 0x400921FB54442D18
  %v269 = tail call double @llvm.fma.f64(double %v268, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v270 = fadd double %v269, 0xC338000000000000
  %v271 = fneg double %v270
  %v272 = tail call double @llvm.fma.f64(double %v271, double 0x3FF921FB54442D18, double %v268)
  %v273 = fmul double %v270, 0x3C91A62633145C07
  %v274 = fsub double %v272, %v273
  %v275 = fsub double %v274, %v272
  %v276 = fsub double %v274, %v275
  %v277 = fsub double %v272, %v276
  %v278 = fadd double %v273, %v275
  %v279 = fsub double %v277, %v278
  %v280 = fneg double %v273
  %v281 = tail call double @llvm.fma.f64(double %v270, double 0x3C91A62633145C07, double %v280)
  %v282 = fsub double %v279, %v281
  %v283 = tail call double @llvm.fma.f64(double %v271, double 0xB91F1976B7ED9000, double %v282)
  %v284 = bitcast double %v269 to i64
  %v285 = and i64 %v284, 1
  %v286 = fmul double %v274, %v274
  %v287 = fmul double %v274, %v286
  %v288 = tail call double @llvm.fma.f64(double %v286, double 0x3DE5D7E2DFD02324, double 0xBE5AE5E1F73BF4AB)
  %v289 = tail call double @llvm.fma.f64(double %v288, double %v286, double 0x3EC71DE351EED7F2)
  %v290 = tail call double @llvm.fma.f64(double %v289, double %v286, double 0xBF2A01A019BAD8A1)
  %v291 = tail call double @llvm.fma.f64(double %v290, double %v286, double 0x3F8111111110F573)
  %v292 = tail call double @llvm.fma.f64(double %v291, double %v286, double 0xBFC5555555555547)
  %v293 = tail call double @llvm.fma.f64(double %v287, double %v292, double %v283)
  %v294 = fadd double %v274, %v293
  %v295 = fneg double %v286
  %v296 = fmul double %v286, %v295
  %v297 = tail call double @llvm.fma.f64(double %v286, double 0xBDA8F941EA99C891, double 0x3E21EE9B9E18B408)
  %v298 = tail call double @llvm.fma.f64(double %v297, double %v286, double 0xBE927E4F7C234A35)
  %v299 = tail call double @llvm.fma.f64(double %v298, double %v286, double 0x3EFA01A019C515A1)
  %v300 = tail call double @llvm.fma.f64(double %v299, double %v286, double 0xBF56C16C16C14DC4)
  %v301 = tail call double @llvm.fma.f64(double %v300, double %v286, double 0x3FA555555555554A)
  %v302 = fmul double %v286, 5.000000e-01
  %v303 = tail call double @llvm.fma.f64(double %v296, double %v301, double %v302)
  %v304 = fsub double 1.000000e+00, %v303
  %v305 = icmp eq i64 %v285, 0
  %v306 = select i1 %v305, double %v294, double %v304
  %v307 = bitcast double %v306 to i64
  %v308 = shl i64 %v284, 62
  %v309 = and i64 %v308, -9223372036854775808
  %v310 = xor i64 %v309, %v307
  %v311 = bitcast i64 %v310 to double
  %v312 = fcmp oeq double %v268, 0.000000e+00
  %v313 = select i1 %v312, double %v268, double %v311
  %v314 = fmul double %v313, %v2
  %v315 = tail call double @llvm.fabs.f64(double %v314)
  %v316 = fdiv double 0x400921FB54442D18, %v315
  %v317 = fdiv double %v316, %v230
  %v318 = fdiv double %v317, %v185
  %v319 = tail call double @llvm.floor.f64(double %v18)
  %v320 = fmul double %v319, 5.000000e-01
  %v321 = tail call double @llvm.floor.f64(double %v320)
  %v322 = fmul double %v321, 2.000000e+00
  %v323 = fcmp une double %v319, %v322
  %v324 = fneg double %v318
  %v325 = select i1 %v323, double %v318, double %v324
  br label %b20
b18:
  %v326 = fdiv float 1.000000e+00, %v1
  br label %b21
b19:
  %v327 = phi double [ %v2, %b8 ], [ %v24, %b10 ], [ %v35, %b11 ]
  %v328 = phi double [ 0.000000e+00, %b8 ], [ %v26, %b10 ], [ %v37, %b11 ]
  %v329 = phi double [ 1.000000e+00, %b8 ], [ %v28, %b10 ], [ %v39, %b11 ]
  %v330 = fadd double %v327, -2.000000e+00
  %v331 = tail call double @llvm.fma.f64(double %v330, double 0xBEB74F33EBD1FA3E, double 0x3EC5F626C8F5B96A)
  %v332 = tail call double @llvm.fma.f64(double %v331, double %v330, double 0xBECD86307E1B5560)
  %v333 = tail call double @llvm.fma.f64(double %v332, double %v330, double 0x3EDE4E6309FB0586)
  %v334 = tail call double @llvm.fma.f64(double %v333, double %v330, double 0xBEF01605C1CA76EB)
  %v335 = tail call double @llvm.fma.f64(double %v334, double %v330, double 0x3F000747D09BBD45)
  %v336 = tail call double @llvm.fma.f64(double %v335, double %v330, double 0xBF0FDC60DE1BD1DC)
  %v337 = tail call double @llvm.fma.f64(double %v336, double %v330, double 0x3F1FE3FB3474D2A9)
  %v338 = tail call double @llvm.fma.f64(double %v337, double %v330, double 0xBF2F94C25A068C1D)
  %v339 = tail call double @llvm.fma.f64(double %v338, double %v330, double 0x3F4011B21504D027)
  %v340 = tail call double @llvm.fma.f64(double %v339, double %v330, double 0xBF4E21F1341B5C78)
  %v341 = tail call double @llvm.fma.f64(double %v340, double %v330, double 0x3F613C448802CDAA)
  %v342 = tail call double @llvm.fma.f64(double %v341, double %v330, double 0xBF675E6E922AB08F)
  %v343 = tail call double @llvm.fma.f64(double %v342, double %v330, double 0x3F86D7EEACCF06D1)
  %v344 = tail call double @llvm.fma.f64(double %v343, double %v330, double 0xBF317F374093DECD)
  %v345 = tail call double @llvm.fma.f64(double %v344, double %v330, double 0x3FB301FBB0F23EA7)
  %v346 = tail call double @llvm.fma.f64(double %v345, double %v330, double 0x3FB4E23998464F5D)
  %v347 = tail call double @llvm.fma.f64(double %v346, double %v330, double 0x3FDA5B978B96BECA)
  %v348 = tail call double @llvm.fma.f64(double %v347, double %v330, double 0x3FDB0EE6072093CE)
  %v349 = tail call double @llvm.fma.f64(double %v330, double %v348, double 1.000000e+00)
  %v350 = fadd double %v328, %v329
  %v351 = fdiv double %v349, %v350
  %v352 = fmul double %v328, %v349
  %v353 = tail call double @llvm.fma.f64(double %v349, double %v329, double %v352)
  %v354 = select i1 %v20, double %v351, double %v353
  %v355 = fptrunc double %v354 to float
  br label %b21
b20:
  %v356 = phi double [ %v325, %b17 ], [ %v229, %b13 ]
  %v357 = fptrunc double %v356 to float
  br label %b21
b21:
  %v358 = phi float [ %v326, %b18 ], [ %v357, %b20 ], [ %v11, %b4 ], [ %v17, %b6 ], [ 0x7FF8000000000000, %b2 ], [ %v355, %b19 ]
  ret float %v358
}

define internal double @m_gamma_float64(double %x) nounwind {
b1:
  %v1 = freeze double %x
  %v2 = fcmp oeq double %v1, 0.000000e+00
  br i1 %v2, label %b19, label %b2
b2:
  %v3 = fcmp olt double %v1, 0.000000e+00
  %v4 = tail call double @llvm.floor.f64(double %v1)
  %v5 = fcmp oeq double %v1, %v4
  %v6 = and i1 %v3, %v5
  br i1 %v6, label %b20, label %b3
b3:
  %v7 = fcmp uno double %v1, 0.000000e+00
  %v8 = fcmp ogt double %v1, 1.717000e+02
  %v9 = or i1 %v7, %v8
  br i1 %v9, label %b4, label %b5
b4:
  %v10 = fadd double %v1, 0x7FF0000000000000
  br label %b20
b5:
  %v11 = fcmp olt double %v1, -1.850000e+02
  br i1 %v11, label %b6, label %b7
b6:
  %v12 = fmul double %v4, 5.000000e-01
  %v13 = tail call double @llvm.floor.f64(double %v12)
  %v14 = fmul double %v13, 2.000000e+00
  %v15 = fcmp oeq double %v4, %v14
  %v16 = select i1 %v15, double 0.000000e+00, double -0.000000e+00
  br label %b20
b7:
  %v17 = tail call double @llvm.fabs.f64(double %v1)
  %v18 = fcmp olt double %v17, 1.200000e+01
  br i1 %v18, label %b8, label %b13
b8:
  %v19 = fcmp olt double %v1, 1.500000e+00
  %v20 = fcmp ogt double %v1, 2.500000e+00
  %v21 = or i1 %v19, %v20
  br i1 %v21, label %b9, label %b12
b9:
  br i1 %v19, label %b10, label %b11
b10:
  %v22 = phi double [ %v23, %b10 ], [ %v1, %b9 ]
  %v24 = phi double [ %v25, %b10 ], [ 0.000000e+00, %b9 ]
  %v26 = phi double [ %v27, %b10 ], [ 1.000000e+00, %b9 ]
  %v27 = fmul double %v22, %v26
  %v28 = fneg double %v27
  %v29 = tail call double @llvm.fma.f64(double %v26, double %v22, double %v28)
  %v25 = tail call double @llvm.fma.f64(double %v24, double %v22, double %v29)
  %v23 = fadd double %v22, 1.000000e+00
  %v30 = fcmp olt double %v23, 1.500000e+00
  %v31 = fcmp ogt double %v23, 2.500000e+00
  %v32 = or i1 %v30, %v31
  br i1 %v32, label %b10, label %b12
b11:
  %v33 = phi double [ %v34, %b11 ], [ %v1, %b9 ]
  %v35 = phi double [ %v36, %b11 ], [ 0.000000e+00, %b9 ]
  %v37 = phi double [ %v38, %b11 ], [ 1.000000e+00, %b9 ]
  %v34 = fadd double %v33, -1.000000e+00
  %v38 = fmul double %v34, %v37
  %v39 = fneg double %v38
  %v40 = tail call double @llvm.fma.f64(double %v37, double %v34, double %v39)
  %v36 = tail call double @llvm.fma.f64(double %v35, double %v34, double %v40)
  %v41 = fcmp olt double %v34, 1.500000e+00
  %v42 = fcmp ogt double %v34, 2.500000e+00
  %v43 = or i1 %v41, %v42
  br i1 %v43, label %b11, label %b12
b12:
  %v44 = phi double [ %v1, %b8 ], [ %v23, %b10 ], [ %v34, %b11 ]
  %v45 = phi double [ 0.000000e+00, %b8 ], [ %v25, %b10 ], [ %v36, %b11 ]
  %v46 = phi double [ 1.000000e+00, %b8 ], [ %v27, %b10 ], [ %v38, %b11 ]
  %v47 = fadd double %v44, -2.000000e+00
  %v48 = tail call double @llvm.fma.f64(double %v47, double 0xBEB74F33EBD1FA3E, double 0x3EC5F626C8F5B96A)
  %v49 = tail call double @llvm.fma.f64(double %v48, double %v47, double 0xBECD86307E1B5560)
  %v50 = tail call double @llvm.fma.f64(double %v49, double %v47, double 0x3EDE4E6309FB0586)
  %v51 = tail call double @llvm.fma.f64(double %v50, double %v47, double 0xBEF01605C1CA76EB)
  %v52 = tail call double @llvm.fma.f64(double %v51, double %v47, double 0x3F000747D09BBD45)
  %v53 = tail call double @llvm.fma.f64(double %v52, double %v47, double 0xBF0FDC60DE1BD1DC)
  %v54 = tail call double @llvm.fma.f64(double %v53, double %v47, double 0x3F1FE3FB3474D2A9)
  %v55 = tail call double @llvm.fma.f64(double %v54, double %v47, double 0xBF2F94C25A068C1D)
  %v56 = tail call double @llvm.fma.f64(double %v55, double %v47, double 0x3F4011B21504D027)
  %v57 = tail call double @llvm.fma.f64(double %v56, double %v47, double 0xBF4E21F1341B5C78)
  %v58 = tail call double @llvm.fma.f64(double %v57, double %v47, double 0x3F613C448802CDAA)
  %v59 = tail call double @llvm.fma.f64(double %v58, double %v47, double 0xBF675E6E922AB08F)
  %v60 = tail call double @llvm.fma.f64(double %v59, double %v47, double 0x3F86D7EEACCF06D1)
  %v61 = tail call double @llvm.fma.f64(double %v60, double %v47, double 0xBF317F374093DECD)
  %v62 = tail call double @llvm.fma.f64(double %v61, double %v47, double 0x3FB301FBB0F23EA7)
  %v63 = tail call double @llvm.fma.f64(double %v62, double %v47, double 0x3FB4E23998464F5D)
  %v64 = tail call double @llvm.fma.f64(double %v63, double %v47, double 0x3FDA5B978B96BECA)
  %v65 = tail call double @llvm.fma.f64(double %v64, double %v47, double 0x3FDB0EE6072093CE)
  %v66 = tail call double @llvm.fma.f64(double %v47, double %v65, double 1.000000e+00)
  %v67 = fmul double %v45, %v66
  %v68 = tail call double @llvm.fma.f64(double %v66, double %v46, double %v67)
  %v69 = fadd double %v45, %v46
  %v70 = fdiv double %v66, %v69
  %v71 = select i1 %v19, double %v70, double %v68
  br label %b20
b13:
  %v72 = fmul double %v17, 5.000000e-01
  %v73 = fadd double %v72, -2.500000e-01
  %v74 = tail call double @llvm.fabs.f64(double %v73)
  %v75 = fmul double %v74, 5.000000e-01
  %v76 = tail call double @llvm.trunc.f64(double %v75)
  %v77 = fmul double %v76, 5.000000e-01
  %v78 = tail call double @llvm.trunc.f64(double %v77)
  %v79 = fmul double %v78, 5.000000e-01
  %v80 = tail call double @llvm.trunc.f64(double %v79)
  %v81 = fmul double %v1, %v1
  %v82 = fmul double %v81, %v81
  %v83 = fadd double %v76, %v76
  %v84 = fcmp une double %v74, %v83
  %v85 = select i1 %v84, double %v17, double 1.000000e+00
  %v86 = fadd double %v78, %v78
  %v87 = fcmp une double %v76, %v86
  %v88 = select i1 %v87, double %v81, double 1.000000e+00
  %v89 = fmul double %v85, %v88
  %v90 = fadd double %v80, %v80
  %v91 = fcmp une double %v78, %v90
  %v92 = select i1 %v91, double %v82, double 1.000000e+00
  %v93 = fmul double %v89, %v92
  %v94 = fcmp oeq double %v74, 8.000000e+00
  %v95 = fmul double %v82, %v82
  %v96 = select i1 %v94, double %v95, double %v93
  %v97 = tail call double @llvm.trunc.f64(double %v74)
  %v98 = fcmp oeq double %v74, %v97
  %v99 = fcmp ole double %v74, 8.000000e+00
  %v100 = and i1 %v99, %v98
  %v101 = select i1 %v100, double %v96, double 0x7FF8000000000000
  %v102 = fcmp olt double %v73, 0.000000e+00
  %v103 = tail call double @llvm.fabs.f64(double %v101)
  %v104 = fcmp oeq double %v103, 0x7FF0000000000000
  %v105 = fdiv double 1.000000e+00, %v101
  %v106 = select i1 %v104, double 0x7FF8000000000000, double %v105
  %v107 = select i1 %v102, double %v106, double %v101
  %v108 = bitcast double %v17 to i64
  %v109 = add nuw i64 %v108, 2638147582215219
  %v110 = lshr i64 %v109, 52
  %v111 = or disjoint i64 %v110, 4841369599423283200
  %v112 = bitcast i64 %v111 to double
  %v113 = fadd double %v112, 0xC330000000000000
  %v114 = fadd double %v113, -1.023000e+03
  %v115 = fmul double %v114, 0x3FE62E42FEFA4000
  %v116 = and i64 %v109, 4503599627370495
  %v117 = add nuw nsw i64 %v116, 4604544271217802189
  %v118 = bitcast i64 %v117 to double
  %v119 = fadd double %v118, -1.000000e+00
  %v120 = fadd double %v119, 2.000000e+00
  %v121 = fdiv double 1.000000e+00, %v120
  %v122 = fmul double %v119, %v121
  %v123 = fmul double %v122, %v122
  %v124 = fmul double %v122, %v123
  %v125 = tail call double @llvm.fma.f64(double %v123, double 0x3FB0E48C86029D98, double 0x3FB0F7F491D7840F)
  %v126 = tail call double @llvm.fma.f64(double %v125, double %v123, double 0x3FB3B1EF291B286B)
  %v127 = tail call double @llvm.fma.f64(double %v126, double %v123, double 0x3FB745CE9C13DB3B)
  %v128 = tail call double @llvm.fma.f64(double %v127, double %v123, double 0x3FBC71C722DC3A56)
  %v129 = tail call double @llvm.fma.f64(double %v128, double %v123, double 0x3FC2492492457977)
  %v130 = tail call double @llvm.fma.f64(double %v129, double %v123, double 0x3FC9999999999B32)
  %v131 = fmul double %v123, %v130
  %v132 = fadd double %v131, 0x3FD5555555555555
  %v133 = fmul double %v124, %v132
  %v134 = fadd double %v122, %v133
  %v135 = fmul double %v134, 2.000000e+00
  %v136 = fadd double %v115, %v135
  %v137 = fmul double %v73, %v136
  %v138 = fcmp olt double %v137, -7.460000e+02
  %v139 = fcmp ogt double %v137, 7.105000e+02
  %v140 = select i1 %v139, double 7.105000e+02, double %v137
  %v141 = select i1 %v138, double -7.460000e+02, double %v140
  %v142 = or i1 %v138, %v139
  %v143 = fsub double %v115, %v136
  %v144 = fadd double %v135, %v143
  %v145 = fsub double %v122, %v134
  %v146 = fadd double %v133, %v145
  %v147 = fneg double %v122
  %v148 = fadd double %v120, -2.000000e+00
  %v149 = fsub double %v119, %v148
  %v150 = tail call double @llvm.fma.f64(double %v147, double %v120, double %v119)
  %v151 = tail call double @llvm.fma.f64(double %v147, double %v149, double %v150)
  %v152 = fmul double %v121, %v151
  %v153 = fsub double 0x3FD5555555555555, %v132
  %v154 = fadd double %v131, %v153
  %v155 = fadd double %v154, 0x3C75555555555555
  %v156 = fmul double %v122, 2.000000e+00
  %v157 = fneg double %v123
  %v158 = tail call double @llvm.fma.f64(double %v122, double %v122, double %v157)
  %v159 = tail call double @llvm.fma.f64(double %v156, double %v152, double %v158)
  %v160 = fneg double %v124
  %v161 = tail call double @llvm.fma.f64(double %v122, double %v123, double %v160)
  %v162 = tail call double @llvm.fma.f64(double %v152, double %v123, double %v161)
  %v163 = tail call double @llvm.fma.f64(double %v122, double %v159, double %v162)
  %v164 = fneg double %v133
  %v165 = tail call double @llvm.fma.f64(double %v124, double %v132, double %v164)
  %v166 = tail call double @llvm.fma.f64(double %v163, double %v132, double %v165)
  %v167 = tail call double @llvm.fma.f64(double %v124, double %v155, double %v166)
  %v168 = fadd double %v152, %v167
  %v169 = fadd double %v146, %v168
  %v170 = fmul double %v169, 2.000000e+00
  %v171 = tail call double @llvm.fma.f64(double %v114, double 0xBD48432A1B0E2634, double %v170)
  %v172 = fadd double %v144, %v171
  %v173 = fneg double %v137
  %v174 = tail call double @llvm.fma.f64(double %v73, double %v136, double %v173)
  %v175 = tail call double @llvm.fma.f64(double %v73, double %v172, double %v174)
  %v176 = select i1 %v142, double 0.000000e+00, double %v175
  %v177 = fcmp oeq double %v17, 1.000000e+00
  %v178 = tail call double @llvm.fma.f64(double %v141, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v179 = fadd double %v178, 0xC338000000000000
  %v180 = fneg double %v179
  %v181 = tail call double @llvm.fma.f64(double %v180, double 0x3FE62E42FEFA4000, double %v141)
  %v182 = tail call double @llvm.fma.f64(double %v180, double 0xBD48432A1B0E2634, double %v181)
  %v183 = fmul double %v182, %v182
  %v184 = tail call double @llvm.fma.f64(double %v182, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v185 = tail call double @llvm.fma.f64(double %v184, double %v182, double 0x3E927E4DB81FC5C4)
  %v186 = tail call double @llvm.fma.f64(double %v185, double %v182, double 0x3EC71DDED4DF15D0)
  %v187 = tail call double @llvm.fma.f64(double %v186, double %v182, double 0x3EFA01A01A70E1D0)
  %v188 = tail call double @llvm.fma.f64(double %v187, double %v182, double 0x3F2A01A01B4A1A68)
  %v189 = tail call double @llvm.fma.f64(double %v188, double %v182, double 0x3F56C16C16C1618C)
  %v190 = tail call double @llvm.fma.f64(double %v189, double %v182, double 0x3F8111111110E966)
  %v191 = tail call double @llvm.fma.f64(double %v190, double %v182, double 0x3FA5555555555556)
  %v192 = tail call double @llvm.fma.f64(double %v191, double %v182, double 0x3FC555555555555C)
  %v193 = tail call double @llvm.fma.f64(double %v192, double %v182, double 5.000000e-01)
  %v194 = tail call double @llvm.fma.f64(double %v183, double %v193, double %v182)
  %v195 = fadd double %v194, 1.000000e+00
  %v196 = tail call double @llvm.fma.f64(double %v176, double %v195, double %v194)
  %v197 = fadd double %v196, 1.000000e+00
  %v198 = bitcast double %v178 to i64
  %v199 = add i64 %v198, -4843621399236967424
  %v200 = lshr i64 %v199, 1
  %v201 = shl i64 %v200, 52
  %v202 = add i64 %v201, 2301339409586323456
  %v203 = bitcast i64 %v202 to double
  %v204 = fmul double %v197, %v203
  %v205 = sub i64 %v199, %v200
  %v206 = shl i64 %v205, 52
  %v207 = add i64 %v206, 2301339409586323456
  %v208 = bitcast i64 %v207 to double
  %v209 = fmul double %v204, %v208
  %v210 = select i1 %v177, double 1.000000e+00, double %v209
  %v211 = fcmp ord double %v107, 0.000000e+00
  %v212 = select i1 %v211, double %v107, double %v210
  %v213 = fneg double %v17
  %v214 = fcmp ogt double %v17, 7.460000e+02
  %v215 = select i1 %v214, double -7.460000e+02, double %v213
  %v216 = tail call double @llvm.fma.f64(double %v215, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v217 = fadd double %v216, 0xC338000000000000
  %v218 = fneg double %v217
  %v219 = tail call double @llvm.fma.f64(double %v218, double 0x3FE62E42FEFA4000, double %v215)
  %v220 = tail call double @llvm.fma.f64(double %v218, double 0xBD48432A1B0E2634, double %v219)
  %v221 = fmul double %v220, %v220
  %v222 = tail call double @llvm.fma.f64(double %v220, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v223 = tail call double @llvm.fma.f64(double %v222, double %v220, double 0x3E927E4DB81FC5C4)
  %v224 = tail call double @llvm.fma.f64(double %v223, double %v220, double 0x3EC71DDED4DF15D0)
  %v225 = tail call double @llvm.fma.f64(double %v224, double %v220, double 0x3EFA01A01A70E1D0)
  %v226 = tail call double @llvm.fma.f64(double %v225, double %v220, double 0x3F2A01A01B4A1A68)
  %v227 = tail call double @llvm.fma.f64(double %v226, double %v220, double 0x3F56C16C16C1618C)
  %v228 = tail call double @llvm.fma.f64(double %v227, double %v220, double 0x3F8111111110E966)
  %v229 = tail call double @llvm.fma.f64(double %v228, double %v220, double 0x3FA5555555555556)
  %v230 = tail call double @llvm.fma.f64(double %v229, double %v220, double 0x3FC555555555555C)
  %v231 = tail call double @llvm.fma.f64(double %v230, double %v220, double 5.000000e-01)
  %v232 = tail call double @llvm.fma.f64(double %v221, double %v231, double %v220)
  %v233 = fadd double %v232, 1.000000e+00
  %v234 = bitcast double %v216 to i64
  %v235 = add i64 %v234, -4843621399236967424
  %v236 = lshr i64 %v235, 1
  %v237 = sub i64 %v235, %v236
  %v238 = shl i64 %v236, 52
  %v239 = add i64 %v238, 2301339409586323456
  %v240 = shl i64 %v237, 52
  %v241 = add i64 %v240, 2301339409586323456
  %v242 = bitcast i64 %v239 to double
  %v243 = fmul double %v233, %v242
  %v244 = bitcast i64 %v241 to double
  %v245 = fmul double %v243, %v244
  %v246 = fdiv double 1.000000e+00, %v81
  %v247 = tail call double @llvm.fma.f64(double %v246, double 0xBF9E4286CB0F5397, double 0x3F7A41A41A41A41B)
  %v248 = tail call double @llvm.fma.f64(double %v247, double %v246, double 0xBF5F6AB0D9993C7C)
  %v249 = tail call double @llvm.fma.f64(double %v248, double %v246, double 0x3F4B951E2B18FF24)
  %v250 = tail call double @llvm.fma.f64(double %v249, double %v246, double 0xBF43813813813813)
  %v251 = tail call double @llvm.fma.f64(double %v250, double %v246, double 0x3F4A01A01A01A01A)
  %v252 = tail call double @llvm.fma.f64(double %v251, double %v246, double 0xBF66C16C16C16C17)
  %v253 = tail call double @llvm.fma.f64(double %v252, double %v246, double 0x3FB5555555555555)
  %v254 = fdiv double %v253, %v17
  %v255 = fcmp olt double %v254, -7.460000e+02
  br i1 %v255, label %b17, label %b15
b14:
  %v256 = fmul double %v212, %v257
  br label %b20
b15:
  %v258 = fcmp ogt double %v254, 7.105000e+02
  br i1 %v258, label %b17, label %b16
b16:
  br label %b17
b17:
  %v259 = phi double [ 7.105000e+02, %b15 ], [ %v254, %b16 ], [ -7.460000e+02, %b13 ]
  %v260 = tail call double @llvm.fma.f64(double %v259, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v261 = fadd double %v260, 0xC338000000000000
  %v262 = fneg double %v261
  %v263 = tail call double @llvm.fma.f64(double %v262, double 0x3FE62E42FEFA4000, double %v259)
  %v264 = tail call double @llvm.fma.f64(double %v262, double 0xBD48432A1B0E2634, double %v263)
  %v265 = fmul double %v264, %v264
  %v266 = tail call double @llvm.fma.f64(double %v264, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v267 = tail call double @llvm.fma.f64(double %v266, double %v264, double 0x3E927E4DB81FC5C4)
  %v268 = tail call double @llvm.fma.f64(double %v267, double %v264, double 0x3EC71DDED4DF15D0)
  %v269 = tail call double @llvm.fma.f64(double %v268, double %v264, double 0x3EFA01A01A70E1D0)
  %v270 = tail call double @llvm.fma.f64(double %v269, double %v264, double 0x3F2A01A01B4A1A68)
  %v271 = tail call double @llvm.fma.f64(double %v270, double %v264, double 0x3F56C16C16C1618C)
  %v272 = tail call double @llvm.fma.f64(double %v271, double %v264, double 0x3F8111111110E966)
  %v273 = tail call double @llvm.fma.f64(double %v272, double %v264, double 0x3FA5555555555556)
  %v274 = tail call double @llvm.fma.f64(double %v273, double %v264, double 0x3FC555555555555C)
  %v275 = tail call double @llvm.fma.f64(double %v274, double %v264, double 5.000000e-01)
  %v276 = tail call double @llvm.fma.f64(double %v265, double %v275, double %v264)
  %v277 = fadd double %v276, 1.000000e+00
  %v278 = bitcast double %v260 to i64
  %v279 = add i64 %v278, -4843621399236967424
  %v280 = lshr i64 %v279, 1
  %v281 = sub i64 %v279, %v280
  %v282 = shl i64 %v280, 52
  %v283 = add i64 %v282, 2301339409586323456
  %v284 = shl i64 %v281, 52
  %v285 = add i64 %v284, 2301339409586323456
  %v286 = bitcast i64 %v283 to double
  %v287 = fmul double %v277, %v286
  %v288 = bitcast i64 %v285 to double
  %v289 = fmul double %v287, %v288
  %v290 = fmul double %v212, 0x40040D931FF62705
  %v291 = fmul double %v245, %v290
  %v257 = fmul double %v291, %v289
  %v292 = fcmp ogt double %v1, 0.000000e+00
  br i1 %v292, label %b14, label %b18
b18:
  %v293 = tail call double @llvm.roundeven.f64(double %v17)
  %v294 = fsub double %v17, %v293
  %v295 = fmul double %v294, 0x400921FB54442D18
  %v296 = tail call double @llvm.fma.f64(double %v295, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v297 = fadd double %v296, 0xC338000000000000
  %v298 = fneg double %v297
  %v299 = tail call double @llvm.fma.f64(double %v298, double 0x3FF921FB54442D18, double %v295)
  %v300 = fmul double %v297, 0x3C91A62633145C07
  %v301 = fsub double %v299, %v300
  %v302 = fsub double %v301, %v299
  %v303 = fsub double %v301, %v302
  %v304 = fsub double %v299, %v303
  %v305 = fadd double %v300, %v302
  %v306 = fsub double %v304, %v305
  %v307 = fneg double %v300
  %v308 = tail call double @llvm.fma.f64(double %v297, double 0x3C91A62633145C07, double %v307)
  %v309 = fsub double %v306, %v308
  %v310 = tail call double @llvm.fma.f64(double %v298, double 0xB91F1976B7ED9000, double %v309)
  %v311 = bitcast double %v296 to i64
  %v312 = and i64 %v311, 1
  %v313 = fmul double %v301, %v301
  %v314 = fmul double %v301, %v313
  %v315 = tail call double @llvm.fma.f64(double %v313, double 0x3DE5D7E2DFD02324, double 0xBE5AE5E1F73BF4AB)
  %v316 = tail call double @llvm.fma.f64(double %v315, double %v313, double 0x3EC71DE351EED7F2)
  %v317 = tail call double @llvm.fma.f64(double %v316, double %v313, double 0xBF2A01A019BAD8A1)
  %v318 = tail call double @llvm.fma.f64(double %v317, double %v313, double 0x3F8111111110F573)
  %v319 = tail call double @llvm.fma.f64(double %v318, double %v313, double 0xBFC5555555555547)
  %v320 = tail call double @llvm.fma.f64(double %v314, double %v319, double %v310)
  %v321 = fadd double %v301, %v320
  %v322 = fneg double %v313
  %v323 = fmul double %v313, %v322
  %v324 = tail call double @llvm.fma.f64(double %v313, double 0xBDA8F941EA99C891, double 0x3E21EE9B9E18B408)
  %v325 = tail call double @llvm.fma.f64(double %v324, double %v313, double 0xBE927E4F7C234A35)
  %v326 = tail call double @llvm.fma.f64(double %v325, double %v313, double 0x3EFA01A019C515A1)
  %v327 = tail call double @llvm.fma.f64(double %v326, double %v313, double 0xBF56C16C16C14DC4)
  %v328 = tail call double @llvm.fma.f64(double %v327, double %v313, double 0x3FA555555555554A)
  %v329 = fmul double %v313, 5.000000e-01
  %v330 = tail call double @llvm.fma.f64(double %v323, double %v328, double %v329)
  %v331 = fsub double 1.000000e+00, %v330
  %v332 = icmp eq i64 %v312, 0
  %v333 = select i1 %v332, double %v321, double %v331
  %v334 = bitcast double %v333 to i64
  %v335 = shl i64 %v311, 62
  %v336 = and i64 %v335, -9223372036854775808
  %v337 = xor i64 %v336, %v334
  %v338 = bitcast i64 %v337 to double
  %v339 = fcmp oeq double %v295, 0.000000e+00
  %v340 = select i1 %v339, double %v295, double %v338
  %v341 = fmul double %v1, %v340
  %v342 = tail call double @llvm.fabs.f64(double %v341)
  %v343 = fdiv double 0x400921FB54442D18, %v342
  %v344 = fdiv double %v343, %v257
  %v345 = fdiv double %v344, %v212
  %v346 = tail call double @llvm.floor.f64(double %v17)
  %v347 = fmul double %v346, 5.000000e-01
  %v348 = tail call double @llvm.floor.f64(double %v347)
  %v349 = fmul double %v348, 2.000000e+00
  %v350 = fcmp une double %v346, %v349
  %v351 = fneg double %v345
  %v352 = select i1 %v350, double %v345, double %v351
  br label %b20
b19:
  %v353 = fdiv double 1.000000e+00, %v1
  br label %b20
b20:
  %v354 = phi double [ %v353, %b19 ], [ 0x7FF8000000000000, %b2 ], [ %v10, %b4 ], [ %v16, %b6 ], [ %v71, %b12 ], [ %v352, %b18 ], [ %v256, %b14 ]
  ret double %v354
}

define internal float @m_hypot_float32(float %x, float %y) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp oeq float %v1, 0x7FF0000000000000
  %v3 = tail call float @llvm.fabs.f32(float %y)
  %v4 = fcmp oeq float %v3, 0x7FF0000000000000
  %v5 = or i1 %v2, %v4
  %v6 = fcmp ogt float %v1, %v3
  %v7 = select i1 %v6, float %v1, float %v3
  %v8 = fcmp ogt float %v7, 0x43B0000000000000
  %v9 = fcmp olt float %v7, 0x3C30000000000000
  %v10 = select i1 %v9, float 0x4630000000000000, float 1.000000e+00
  %v11 = select i1 %v8, float 0x39B0000000000000, float %v10
  %v12 = fmul float %v1, %v11
  %v13 = fmul float %v3, %v11
  %v14 = fmul float %v13, %v13
  %v15 = tail call float @llvm.fma.f32(float %v12, float %v12, float %v14)
  %v16 = tail call float @llvm.sqrt.f32(float %v15)
  %v17 = select i1 %v9, float 0x39B0000000000000, float 1.000000e+00
  %v18 = select i1 %v8, float 0x4630000000000000, float %v17
  %v19 = fmul float %v18, %v16
  %v20 = select i1 %v5, float 0x7FF0000000000000, float %v19
  ret float %v20
}

define internal double @m_hypot_float64(double %x, double %y) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp oeq double %v1, 0x7FF0000000000000
  %v3 = tail call double @llvm.fabs.f64(double %y)
  %v4 = fcmp oeq double %v3, 0x7FF0000000000000
  %v5 = or i1 %v2, %v4
  %v6 = fcmp ogt double %v1, %v3
  %v7 = select i1 %v6, double %v1, double %v3
  %v8 = fcmp ogt double %v7, 0x5F30000000000000
  %v9 = fcmp olt double %v7, 0x20B0000000000000
  %v10 = select i1 %v9, double 0x6BB0000000000000, double 1.000000e+00
  %v11 = select i1 %v8, double 0x1430000000000000, double %v10
  %v12 = fmul double %v1, %v11
  %v13 = fmul double %v3, %v11
  %v14 = fmul double %v13, %v13
  %v15 = tail call double @llvm.fma.f64(double %v12, double %v12, double %v14)
  %v16 = tail call double @llvm.sqrt.f64(double %v15)
  %v17 = select i1 %v9, double 0x1430000000000000, double 1.000000e+00
  %v18 = select i1 %v8, double 0x6BB0000000000000, double %v17
  %v19 = fmul double %v18, %v16
  %v20 = select i1 %v5, double 0x7FF0000000000000, double %v19
  ret double %v20
}

define internal float @m_lgamma_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fpext float %x to double
  %v2 = tail call double @llvm.fabs.f64(double %v1)
  %v3 = fcmp olt float %x, -5.000000e-01
  %v4 = select i1 %v3, double %v2, double %v1
  %v5 = fcmp olt double %v4, 1.500000e+00
  %v6 = fcmp olt double %v4, 5.000000e-01
  br i1 %v6, label %b3, label %b2
b2:
  %v7 = fcmp ule double %v4, 2.500000e+00
  %v8 = select i1 %v7, double -2.000000e+00, double -3.000000e+00
  %v9 = select i1 %v5, double -1.000000e+00, double %v8
  %v10 = select i1 %v5, double %v4, double 1.000000e+00
  %v11 = fadd double %v4, %v9
  %v12 = fadd double %v4, -1.000000e+00
  %v13 = select i1 %v7, double %v10, double %v12
  br label %b4
b3:
  %v14 = tail call double @llvm.fma.f64(double %v4, double %v4, double %v4)
  %v15 = tail call double @llvm.fabs.f64(double %v14)
  br label %b4
b4:
  %v16 = phi double [ %v4, %b3 ], [ %v11, %b2 ]
  %v17 = phi double [ %v15, %b3 ], [ %v13, %b2 ]
  %v18 = fcmp oge double %v4, 3.500000e+00
  %v19 = fadd double %v4, -5.000000e-01
  %v20 = select i1 %v18, double %v4, double %v17
  %v21 = fcmp oeq double %v20, 0.000000e+00
  %v22 = fcmp olt double %v20, 0.000000e+00
  %v23 = fcmp one double %v20, 0x7FF0000000000000
  %v24 = fcmp olt double %v20, 0x10000000000000
  %v25 = fmul double %v20, 0x4340000000000000
  %v26 = select i1 %v24, double %v25, double %v20
  %v27 = bitcast double %v26 to i64
  %v28 = add i64 %v27, 2638147582215219
  %v29 = lshr i64 %v28, 52
  %v30 = or disjoint i64 %v29, 4841369599423283200
  %v31 = bitcast i64 %v30 to double
  %v32 = fadd double %v31, 0xC330000000000000
  %v33 = select i1 %v24, double 1.076000e+03, double 1.023000e+03
  %v34 = fsub double %v32, %v33
  %v35 = and i64 %v28, 4503599627370495
  %v36 = add nuw nsw i64 %v35, 4604544271217802189
  %v37 = bitcast i64 %v36 to double
  %v38 = fadd double %v37, -1.000000e+00
  %v39 = fadd double %v38, 2.000000e+00
  %v40 = fdiv double %v38, %v39
  %v41 = fmul double %v40, %v40
  %v42 = tail call double @llvm.fma.f64(double %v41, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v43 = tail call double @llvm.fma.f64(double %v42, double %v41, double 0x3FC74664A41971F1)
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v41, double 0x3FCC71C51D57B847)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v41, double 0x3FD249249422C781)
  %v46 = tail call double @llvm.fma.f64(double %v45, double %v41, double 0x3FD999999997F9E0)
  %v47 = tail call double @llvm.fma.f64(double %v46, double %v41, double 0x3FE5555555555593)
  %v48 = fmul double %v38, %v38
  %v49 = fmul double %v48, 5.000000e-01
  %v50 = tail call double @llvm.fma.f64(double %v41, double %v47, double %v49)
  %v51 = fmul double %v34, 0xBD48432A1B0E2634
  %v52 = tail call double @llvm.fma.f64(double %v40, double %v50, double %v51)
  %v53 = fsub double %v52, %v49
  %v54 = fadd double %v38, %v53
  %v55 = tail call double @llvm.fma.f64(double %v34, double 0x3FE62E42FEFA4000, double %v54)
  %v56 = select i1 %v23, double %v55, double %v20
  %v57 = select i1 %v22, double 0x7FF8000000000000, double %v56
  %v58 = select i1 %v21, double 0xFFF0000000000000, double %v57
  %v59 = fadd double %v58, -1.000000e+00
  %v60 = fdiv double 1.000000e+00, %v4
  %v61 = fmul double %v60, %v60
  %v62 = tail call double @llvm.fma.f64(double %v61, double 0xBFBB4FA25F938C08, double 0x3FB0BDFF6E5C2D29)
  %v63 = tail call double @llvm.fma.f64(double %v62, double %v61, double 0xBF9632F0062D2719)
  %v64 = tail call double @llvm.fma.f64(double %v63, double %v61, double 0x3F78B0E10DD0EB0D)
  %v65 = tail call double @llvm.fma.f64(double %v64, double %v61, double 0xBF5F36BDF6E35BBA)
  %v66 = tail call double @llvm.fma.f64(double %v65, double %v61, double 0x3F4B92FBED260EDC)
  %v67 = tail call double @llvm.fma.f64(double %v66, double %v61, double 0xBF4381317C44B7DD)
  %v68 = tail call double @llvm.fma.f64(double %v67, double %v61, double 0x3F4A01A00F88CF68)
  %v69 = tail call double @llvm.fma.f64(double %v68, double %v61, double 0xBF66C16C16BFCC40)
  %v70 = tail call double @llvm.fma.f64(double %v69, double %v61, double 0x3FB5555555555554)
  %v71 = tail call double @llvm.fma.f64(double %v60, double %v70, double 0x3FDACFE390C97D68)
  %v72 = tail call double @llvm.fma.f64(double %v19, double %v59, double %v71)
  %v73 = tail call double @llvm.fma.f64(double %v16, double 0xBE61F79A163206FF, double 0x3E715BF6753FF65C)
  %v74 = tail call double @llvm.fma.f64(double %v73, double %v16, double 0xBE78C86A72CC2B05)
  %v75 = tail call double @llvm.fma.f64(double %v74, double %v16, double 0x3E8B1CE60C21AAC9)
  %v76 = tail call double @llvm.fma.f64(double %v75, double %v16, double 0xBE9E5EB6AA4D0FED)
  %v77 = tail call double @llvm.fma.f64(double %v76, double %v16, double 0x3EB0143D146A3CBE)
  %v78 = tail call double @llvm.fma.f64(double %v77, double %v16, double 0xBEC1196D7E5EB62B)
  %v79 = tail call double @llvm.fma.f64(double %v78, double %v16, double 0x3ED258CBF8371C15)
  %v80 = tail call double @llvm.fma.f64(double %v79, double %v16, double 0xBEE3CBDB0A771633)
  %v81 = tail call double @llvm.fma.f64(double %v80, double %v16, double 0x3EF580E245466419)
  %v82 = tail call double @llvm.fma.f64(double %v81, double %v16, double 0xBF078DE54C3FB640)
  %v83 = tail call double @llvm.fma.f64(double %v82, double %v16, double 0x3F1A127AF4F3321C)
  %v84 = tail call double @llvm.fma.f64(double %v83, double %v16, double 0xBF2D3FD4C9305608)
  %v85 = tail call double @llvm.fma.f64(double %v84, double %v16, double 0x3F40B36AF889F16B)
  %v86 = tail call double @llvm.fma.f64(double %v85, double %v16, double 0xBF538AC5C2BD828A)
  %v87 = tail call double @llvm.fma.f64(double %v86, double %v16, double 0x3F67ADD6EADB2E7F)
  %v88 = tail call double @llvm.fma.f64(double %v87, double %v16, double 0xBF7E404FC218F861)
  %v89 = tail call double @llvm.fma.f64(double %v88, double %v16, double 0x3F951322AC7D849A)
  %v90 = tail call double @llvm.fma.f64(double %v89, double %v16, double 0xBFB13E001A557606)
  %v91 = tail call double @llvm.fma.f64(double %v90, double %v16, double 0x3FD4A34CC4A60FA6)
  %v92 = tail call double @llvm.fma.f64(double %v91, double %v16, double 0x3FDB0EE6072093CE)
  %v93 = fneg double %v58
  %v94 = select i1 %v5, double %v93, double %v58
  %v95 = tail call double @llvm.fma.f64(double %v16, double %v92, double %v94)
  %v96 = select i1 %v18, double %v72, double %v95
  %v97 = fcmp oeq double %v96, 0x7FF0000000000000
  %v98 = tail call double @llvm.roundeven.f64(double %v2)
  %v99 = fsub double %v2, %v98
  %v100 = fmul double %v99, 0x400921FB54442D18
  %v101 = fcmp oeq double %v100, 0.000000e+00
  %v102 = tail call double @llvm.fma.f64(double %v100, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v103 = bitcast double %v102 to i64
  %v104 = shl i64 %v103, 62
  %v105 = and i64 %v104, -9223372036854775808
  %v106 = and i64 %v103, 1
  %v107 = icmp eq i64 %v106, 0
  %v108 = fadd double %v102, 0xC338000000000000
  %v109 = fneg double %v108
  %v110 = tail call double @llvm.fma.f64(double %v109, double 0x3FF921FB54442D18, double %v100)
  %v111 = fmul double %v108, 0x3C91A62633145C07
  %v112 = fsub double %v110, %v111
  %v113 = fmul double %v112, %v112
  %v114 = fmul double %v112, %v113
  %v115 = tail call double @llvm.fma.f64(double %v113, double 0x3DE5D7E2DFD02324, double 0xBE5AE5E1F73BF4AB)
  %v116 = tail call double @llvm.fma.f64(double %v115, double %v113, double 0x3EC71DE351EED7F2)
  %v117 = tail call double @llvm.fma.f64(double %v116, double %v113, double 0xBF2A01A019BAD8A1)
  %v118 = tail call double @llvm.fma.f64(double %v117, double %v113, double 0x3F8111111110F573)
  %v119 = tail call double @llvm.fma.f64(double %v118, double %v113, double 0xBFC5555555555547)
  %v120 = fsub double %v112, %v110
  %v121 = fsub double %v112, %v120
  %v122 = fsub double %v110, %v121
  %v123 = fadd double %v111, %v120
  %v124 = fsub double %v122, %v123
  %v125 = fneg double %v111
  %v126 = tail call double @llvm.fma.f64(double %v108, double 0x3C91A62633145C07, double %v125)
  %v127 = fsub double %v124, %v126
  %v128 = tail call double @llvm.fma.f64(double %v109, double 0xB91F1976B7ED9000, double %v127)
  %v129 = tail call double @llvm.fma.f64(double %v114, double %v119, double %v128)
  %v130 = fadd double %v112, %v129
  %v131 = fneg double %v113
  %v132 = fmul double %v113, %v131
  %v133 = tail call double @llvm.fma.f64(double %v113, double 0xBDA8F941EA99C891, double 0x3E21EE9B9E18B408)
  %v134 = tail call double @llvm.fma.f64(double %v133, double %v113, double 0xBE927E4F7C234A35)
  %v135 = tail call double @llvm.fma.f64(double %v134, double %v113, double 0x3EFA01A019C515A1)
  %v136 = tail call double @llvm.fma.f64(double %v135, double %v113, double 0xBF56C16C16C14DC4)
  %v137 = tail call double @llvm.fma.f64(double %v136, double %v113, double 0x3FA555555555554A)
  %v138 = fmul double %v113, 5.000000e-01
  %v139 = tail call double @llvm.fma.f64(double %v132, double %v137, double %v138)
  %v140 = fsub double 1.000000e+00, %v139
  %v141 = select i1 %v107, double %v130, double %v140
  %v142 = bitcast double %v141 to i64
  %v143 = xor i64 %v105, %v142
  %v144 = bitcast i64 %v143 to double
  %v145 = select i1 %v101, double %v100, double %v144
  %v146 = fmul double %v145, %v1
  %v147 = tail call double @llvm.fabs.f64(double %v146)
  %v148 = fdiv double 0x400921FB54442D18, %v147
  %v149 = fcmp oeq double %v148, 0.000000e+00
  %v150 = fcmp one double %v148, 0x7FF0000000000000
  %v151 = fcmp olt double %v148, 0x10000000000000
  %v152 = fmul double %v148, 0x4340000000000000
  %v153 = select i1 %v151, double %v152, double %v148
  %v154 = bitcast double %v153 to i64
  %v155 = add i64 %v154, 2638147582215219
  %v156 = lshr i64 %v155, 52
  %v157 = or disjoint i64 %v156, 4841369599423283200
  %v158 = bitcast i64 %v157 to double
  %v159 = fadd double %v158, 0xC330000000000000
  %v160 = select i1 %v151, double 1.076000e+03, double 1.023000e+03
  %v161 = fsub double %v159, %v160
  %v162 = and i64 %v155, 4503599627370495
  %v163 = add nuw nsw i64 %v162, 4604544271217802189
  %v164 = bitcast i64 %v163 to double
  %v165 = fadd double %v164, -1.000000e+00
  %v166 = fadd double %v165, 2.000000e+00
  %v167 = fdiv double %v165, %v166
  %v168 = fmul double %v167, %v167
  %v169 = tail call double @llvm.fma.f64(double %v168, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v170 = tail call double @llvm.fma.f64(double %v169, double %v168, double 0x3FC74664A41971F1)
  %v171 = tail call double @llvm.fma.f64(double %v170, double %v168, double 0x3FCC71C51D57B847)
  %v172 = tail call double @llvm.fma.f64(double %v171, double %v168, double 0x3FD249249422C781)
  %v173 = tail call double @llvm.fma.f64(double %v172, double %v168, double 0x3FD999999997F9E0)
  %v174 = tail call double @llvm.fma.f64(double %v173, double %v168, double 0x3FE5555555555593)
  %v175 = fmul double %v165, %v165
  %v176 = fmul double %v175, 5.000000e-01
  %v177 = tail call double @llvm.fma.f64(double %v168, double %v174, double %v176)
  %v178 = fmul double %v161, 0xBD48432A1B0E2634
  %v179 = tail call double @llvm.fma.f64(double %v167, double %v177, double %v178)
  %v180 = fsub double %v179, %v176
  %v181 = fadd double %v165, %v180
  %v182 = tail call double @llvm.fma.f64(double %v161, double 0x3FE62E42FEFA4000, double %v181)
  %v183 = select i1 %v150, double %v182, double %v148
  %v184 = select i1 %v149, double 0xFFF0000000000000, double %v183
  %v185 = fsub double %v184, %v96
  %v186 = select i1 %v3, double %v185, double %v96
  %v187 = select i1 %v97, double 0x7FF0000000000000, double %v186
  %v188 = fptrunc double %v187 to float
  ret float %v188
}

define internal double @m_lgamma_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp olt double %x, -5.000000e-01
  %v3 = select i1 %v2, double %v1, double %x
  %v4 = fcmp olt double %v3, 1.500000e+00
  %v5 = fcmp olt double %v3, 5.000000e-01
  br i1 %v5, label %b3, label %b2
b2:
  %v6 = fcmp ule double %v3, 2.500000e+00
  %v7 = select i1 %v6, double -2.000000e+00, double -3.000000e+00
  %v8 = select i1 %v4, double -1.000000e+00, double %v7
  %v9 = select i1 %v4, double %v3, double 1.000000e+00
  %v10 = fadd double %v3, %v8
  %v11 = fadd double %v3, -1.000000e+00
  %v12 = select i1 %v6, double %v9, double %v11
  br label %b4
b3:
  %v13 = tail call double @llvm.fma.f64(double %v3, double %v3, double %v3)
  %v14 = tail call double @llvm.fabs.f64(double %v13)
  br label %b4
b4:
  %v15 = phi double [ %v3, %b3 ], [ %v10, %b2 ]
  %v16 = phi double [ %v14, %b3 ], [ %v12, %b2 ]
  %v17 = fcmp oge double %v3, 3.500000e+00
  %v18 = fadd double %v3, -5.000000e-01
  %v19 = select i1 %v17, double %v3, double %v16
  %v20 = fcmp oeq double %v19, 0.000000e+00
  %v21 = fcmp olt double %v19, 0.000000e+00
  %v22 = fcmp one double %v19, 0x7FF0000000000000
  %v23 = fcmp olt double %v19, 0x10000000000000
  %v24 = fmul double %v19, 0x4340000000000000
  %v25 = select i1 %v23, double %v24, double %v19
  %v26 = bitcast double %v25 to i64
  %v27 = add i64 %v26, 2638147582215219
  %v28 = lshr i64 %v27, 52
  %v29 = or disjoint i64 %v28, 4841369599423283200
  %v30 = bitcast i64 %v29 to double
  %v31 = fadd double %v30, 0xC330000000000000
  %v32 = select i1 %v23, double 1.076000e+03, double 1.023000e+03
  %v33 = fsub double %v31, %v32
  %v34 = and i64 %v27, 4503599627370495
  %v35 = add nuw nsw i64 %v34, 4604544271217802189
  %v36 = bitcast i64 %v35 to double
  %v37 = fadd double %v36, -1.000000e+00
  %v38 = fadd double %v37, 2.000000e+00
  %v39 = fdiv double %v37, %v38
  %v40 = fmul double %v39, %v39
  %v41 = tail call double @llvm.fma.f64(double %v40, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v42 = tail call double @llvm.fma.f64(double %v41, double %v40, double 0x3FC74664A41971F1)
  %v43 = tail call double @llvm.fma.f64(double %v42, double %v40, double 0x3FCC71C51D57B847)
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v40, double 0x3FD249249422C781)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v40, double 0x3FD999999997F9E0)
  %v46 = tail call double @llvm.fma.f64(double %v45, double %v40, double 0x3FE5555555555593)
  %v47 = fmul double %v37, %v37
  %v48 = fmul double %v47, 5.000000e-01
  %v49 = tail call double @llvm.fma.f64(double %v40, double %v46, double %v48)
  %v50 = fmul double %v33, 0xBD48432A1B0E2634
  %v51 = tail call double @llvm.fma.f64(double %v39, double %v49, double %v50)
  %v52 = fsub double %v51, %v48
  %v53 = fadd double %v37, %v52
  %v54 = tail call double @llvm.fma.f64(double %v33, double 0x3FE62E42FEFA4000, double %v53)
  %v55 = select i1 %v22, double %v54, double %v19
  %v56 = select i1 %v21, double 0x7FF8000000000000, double %v55
  %v57 = select i1 %v20, double 0xFFF0000000000000, double %v56
  %v58 = fadd double %v57, -1.000000e+00
  %v59 = fdiv double 1.000000e+00, %v3
  %v60 = fmul double %v59, %v59
  %v61 = tail call double @llvm.fma.f64(double %v60, double 0xBFBB4FA25F938C08, double 0x3FB0BDFF6E5C2D29)
  %v62 = tail call double @llvm.fma.f64(double %v61, double %v60, double 0xBF9632F0062D2719)
  %v63 = tail call double @llvm.fma.f64(double %v62, double %v60, double 0x3F78B0E10DD0EB0D)
  %v64 = tail call double @llvm.fma.f64(double %v63, double %v60, double 0xBF5F36BDF6E35BBA)
  %v65 = tail call double @llvm.fma.f64(double %v64, double %v60, double 0x3F4B92FBED260EDC)
  %v66 = tail call double @llvm.fma.f64(double %v65, double %v60, double 0xBF4381317C44B7DD)
  %v67 = tail call double @llvm.fma.f64(double %v66, double %v60, double 0x3F4A01A00F88CF68)
  %v68 = tail call double @llvm.fma.f64(double %v67, double %v60, double 0xBF66C16C16BFCC40)
  %v69 = tail call double @llvm.fma.f64(double %v68, double %v60, double 0x3FB5555555555554)
  %v70 = tail call double @llvm.fma.f64(double %v59, double %v69, double 0x3FDACFE390C97D68)
  %v71 = tail call double @llvm.fma.f64(double %v18, double %v58, double %v70)
  %v72 = tail call double @llvm.fma.f64(double %v15, double 0xBE61F79A163206FF, double 0x3E715BF6753FF65C)
  %v73 = tail call double @llvm.fma.f64(double %v72, double %v15, double 0xBE78C86A72CC2B05)
  %v74 = tail call double @llvm.fma.f64(double %v73, double %v15, double 0x3E8B1CE60C21AAC9)
  %v75 = tail call double @llvm.fma.f64(double %v74, double %v15, double 0xBE9E5EB6AA4D0FED)
  %v76 = tail call double @llvm.fma.f64(double %v75, double %v15, double 0x3EB0143D146A3CBE)
  %v77 = tail call double @llvm.fma.f64(double %v76, double %v15, double 0xBEC1196D7E5EB62B)
  %v78 = tail call double @llvm.fma.f64(double %v77, double %v15, double 0x3ED258CBF8371C15)
  %v79 = tail call double @llvm.fma.f64(double %v78, double %v15, double 0xBEE3CBDB0A771633)
  %v80 = tail call double @llvm.fma.f64(double %v79, double %v15, double 0x3EF580E245466419)
  %v81 = tail call double @llvm.fma.f64(double %v80, double %v15, double 0xBF078DE54C3FB640)
  %v82 = tail call double @llvm.fma.f64(double %v81, double %v15, double 0x3F1A127AF4F3321C)
  %v83 = tail call double @llvm.fma.f64(double %v82, double %v15, double 0xBF2D3FD4C9305608)
  %v84 = tail call double @llvm.fma.f64(double %v83, double %v15, double 0x3F40B36AF889F16B)
  %v85 = tail call double @llvm.fma.f64(double %v84, double %v15, double 0xBF538AC5C2BD828A)
  %v86 = tail call double @llvm.fma.f64(double %v85, double %v15, double 0x3F67ADD6EADB2E7F)
  %v87 = tail call double @llvm.fma.f64(double %v86, double %v15, double 0xBF7E404FC218F861)
  %v88 = tail call double @llvm.fma.f64(double %v87, double %v15, double 0x3F951322AC7D849A)
  %v89 = tail call double @llvm.fma.f64(double %v88, double %v15, double 0xBFB13E001A557606)
  %v90 = tail call double @llvm.fma.f64(double %v89, double %v15, double 0x3FD4A34CC4A60FA6)
  %v91 = tail call double @llvm.fma.f64(double %v90, double %v15, double 0x3FDB0EE6072093CE)
  %v92 = fneg double %v57
  %v93 = select i1 %v4, double %v92, double %v57
  %v94 = tail call double @llvm.fma.f64(double %v15, double %v91, double %v93)
  %v95 = select i1 %v17, double %v71, double %v94
  %v96 = fcmp oeq double %v95, 0x7FF0000000000000
  %v97 = tail call double @llvm.roundeven.f64(double %v1)
  %v98 = fsub double %v1, %v97
  %v99 = fmul double %v98, 0x400921FB54442D18
  %v100 = fcmp oeq double %v99, 0.000000e+00
  %v101 = tail call double @llvm.fma.f64(double %v99, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v102 = bitcast double %v101 to i64
  %v103 = shl i64 %v102, 62
  %v104 = and i64 %v103, -9223372036854775808
  %v105 = and i64 %v102, 1
  %v106 = icmp eq i64 %v105, 0
  %v107 = fadd double %v101, 0xC338000000000000
  %v108 = fneg double %v107
  %v109 = tail call double @llvm.fma.f64(double %v108, double 0x3FF921FB54442D18, double %v99)
  %v110 = fmul double %v107, 0x3C91A62633145C07
  %v111 = fsub double %v109, %v110
  %v112 = fmul double %v111, %v111
  %v113 = fmul double %v111, %v112
  %v114 = tail call double @llvm.fma.f64(double %v112, double 0x3DE5D7E2DFD02324, double 0xBE5AE5E1F73BF4AB)
  %v115 = tail call double @llvm.fma.f64(double %v114, double %v112, double 0x3EC71DE351EED7F2)
  %v116 = tail call double @llvm.fma.f64(double %v115, double %v112, double 0xBF2A01A019BAD8A1)
  %v117 = tail call double @llvm.fma.f64(double %v116, double %v112, double 0x3F8111111110F573)
  %v118 = tail call double @llvm.fma.f64(double %v117, double %v112, double 0xBFC5555555555547)
  %v119 = fsub double %v111, %v109
  %v120 = fsub double %v111, %v119
  %v121 = fsub double %v109, %v120
  %v122 = fadd double %v110, %v119
  %v123 = fsub double %v121, %v122
  %v124 = fneg double %v110
  %v125 = tail call double @llvm.fma.f64(double %v107, double 0x3C91A62633145C07, double %v124)
  %v126 = fsub double %v123, %v125
  %v127 = tail call double @llvm.fma.f64(double %v108, double 0xB91F1976B7ED9000, double %v126)
  %v128 = tail call double @llvm.fma.f64(double %v113, double %v118, double %v127)
  %v129 = fadd double %v111, %v128
  %v130 = fneg double %v112
  %v131 = fmul double %v112, %v130
  %v132 = tail call double @llvm.fma.f64(double %v112, double 0xBDA8F941EA99C891, double 0x3E21EE9B9E18B408)
  %v133 = tail call double @llvm.fma.f64(double %v132, double %v112, double 0xBE927E4F7C234A35)
  %v134 = tail call double @llvm.fma.f64(double %v133, double %v112, double 0x3EFA01A019C515A1)
  %v135 = tail call double @llvm.fma.f64(double %v134, double %v112, double 0xBF56C16C16C14DC4)
  %v136 = tail call double @llvm.fma.f64(double %v135, double %v112, double 0x3FA555555555554A)
  %v137 = fmul double %v112, 5.000000e-01
  %v138 = tail call double @llvm.fma.f64(double %v131, double %v136, double %v137)
  %v139 = fsub double 1.000000e+00, %v138
  %v140 = select i1 %v106, double %v129, double %v139
  %v141 = bitcast double %v140 to i64
  %v142 = xor i64 %v104, %v141
  %v143 = bitcast i64 %v142 to double
  %v144 = select i1 %v100, double %v99, double %v143
  %v145 = fmul double %x, %v144
  %v146 = tail call double @llvm.fabs.f64(double %v145)
  %v147 = fdiv double 0x400921FB54442D18, %v146
  %v148 = fcmp oeq double %v147, 0.000000e+00
  %v149 = fcmp one double %v147, 0x7FF0000000000000
  %v150 = fcmp olt double %v147, 0x10000000000000
  %v151 = fmul double %v147, 0x4340000000000000
  %v152 = select i1 %v150, double %v151, double %v147
  %v153 = bitcast double %v152 to i64
  %v154 = add i64 %v153, 2638147582215219
  %v155 = lshr i64 %v154, 52
  %v156 = or disjoint i64 %v155, 4841369599423283200
  %v157 = bitcast i64 %v156 to double
  %v158 = fadd double %v157, 0xC330000000000000
  %v159 = select i1 %v150, double 1.076000e+03, double 1.023000e+03
  %v160 = fsub double %v158, %v159
  %v161 = and i64 %v154, 4503599627370495
  %v162 = add nuw nsw i64 %v161, 4604544271217802189
  %v163 = bitcast i64 %v162 to double
  %v164 = fadd double %v163, -1.000000e+00
  %v165 = fadd double %v164, 2.000000e+00
  %v166 = fdiv double %v164, %v165
  %v167 = fmul double %v166, %v166
  %v168 = tail call double @llvm.fma.f64(double %v167, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v169 = tail call double @llvm.fma.f64(double %v168, double %v167, double 0x3FC74664A41971F1)
  %v170 = tail call double @llvm.fma.f64(double %v169, double %v167, double 0x3FCC71C51D57B847)
  %v171 = tail call double @llvm.fma.f64(double %v170, double %v167, double 0x3FD249249422C781)
  %v172 = tail call double @llvm.fma.f64(double %v171, double %v167, double 0x3FD999999997F9E0)
  %v173 = tail call double @llvm.fma.f64(double %v172, double %v167, double 0x3FE5555555555593)
  %v174 = fmul double %v164, %v164
  %v175 = fmul double %v174, 5.000000e-01
  %v176 = tail call double @llvm.fma.f64(double %v167, double %v173, double %v175)
  %v177 = fmul double %v160, 0xBD48432A1B0E2634
  %v178 = tail call double @llvm.fma.f64(double %v166, double %v176, double %v177)
  %v179 = fsub double %v178, %v175
  %v180 = fadd double %v164, %v179
  %v181 = tail call double @llvm.fma.f64(double %v160, double 0x3FE62E42FEFA4000, double %v180)
  %v182 = select i1 %v149, double %v181, double %v147
  %v183 = select i1 %v148, double 0xFFF0000000000000, double %v182
  %v184 = fsub double %v183, %v95
  %v185 = select i1 %v2, double %v184, double %v95
  %v186 = select i1 %v96, double 0x7FF0000000000000, double %v185
  ret double %v186
}

define internal float @m_log10_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp oeq float %x, 0.000000e+00
  %v2 = fcmp olt float %x, 0.000000e+00
  %v3 = fcmp one float %x, 0x7FF0000000000000
  %v4 = fcmp olt float %x, 0x3810000000000000
  %v5 = fmul float %x, 0x4170000000000000
  %v6 = select i1 %v4, float %v5, float %x
  %v7 = bitcast float %v6 to i32
  %v8 = add i32 %v7, 4913933
  %v9 = lshr i32 %v8, 23
  %v10 = or disjoint i32 %v9, 1258291200
  %v11 = bitcast i32 %v10 to float
  %v12 = fadd float %v11, 0xC160000000000000
  %v13 = select i1 %v4, float 1.510000e+02, float 1.270000e+02
  %v14 = fsub float %v12, %v13
  %v15 = fmul float %v14, 0x3FD3440000000000
  %v16 = and i32 %v8, 8388607
  %v17 = add nuw nsw i32 %v16, 1060439283
  %v18 = bitcast i32 %v17 to float
  %v19 = fadd float %v18, -1.000000e+00
  %v20 = fmul float %v19, 0x3FDBCB7B20000000
  %v21 = fadd float %v20, %v15
  %v22 = fadd float %v19, 2.000000e+00
  %v23 = fdiv float %v19, %v22
  %v24 = fmul float %v23, %v23
  %v25 = tail call float @llvm.fma.f32(float %v24, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v26 = tail call float @llvm.fma.f32(float %v25, float %v24, float 0x3FE55557A0000000)
  %v27 = fmul float %v19, %v19
  %v28 = fmul float %v27, 5.000000e-01
  %v29 = tail call float @llvm.fma.f32(float %v24, float %v26, float %v28)
  %v30 = fneg float %v28
  %v31 = tail call float @llvm.fma.f32(float %v23, float %v29, float %v30)
  %v32 = fneg float %v20
  %v33 = tail call float @llvm.fma.f32(float %v19, float 0x3FDBCB7B20000000, float %v32)
  %v34 = tail call float @llvm.fma.f32(float %v19, float 0xBE45B235E0000000, float %v33)
  %v35 = tail call float @llvm.fma.f32(float %v31, float 0x3FDBCB7B20000000, float %v34)
  %v36 = fsub float %v21, %v15
  %v37 = fsub float %v20, %v36
  %v38 = fadd float %v37, %v35
  %v39 = tail call float @llvm.fma.f32(float %v14, float 0x3ED3509F80000000, float %v38)
  %v40 = fadd float %v21, %v39
  %v41 = select i1 %v3, float %v40, float %x
  %v42 = select i1 %v2, float 0x7FF8000000000000, float %v41
  %v43 = select i1 %v1, float 0xFFF0000000000000, float %v42
  ret float %v43
}

define internal double @m_log10_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp oeq double %x, 0.000000e+00
  %v2 = fcmp olt double %x, 0.000000e+00
  %v3 = fcmp one double %x, 0x7FF0000000000000
  %v4 = fcmp olt double %x, 0x10000000000000
  %v5 = fmul double %x, 0x4340000000000000
  %v6 = select i1 %v4, double %v5, double %x
  %v7 = bitcast double %v6 to i64
  %v8 = add i64 %v7, 2638147582215219
  %v9 = lshr i64 %v8, 52
  %v10 = or disjoint i64 %v9, 4841369599423283200
  %v11 = bitcast i64 %v10 to double
  %v12 = fadd double %v11, 0xC330000000000000
  %v13 = select i1 %v4, double 1.076000e+03, double 1.023000e+03
  %v14 = fsub double %v12, %v13
  %v15 = fmul double %v14, 0x3FD34413509F8000
  %v16 = and i64 %v8, 4503599627370495
  %v17 = add nuw nsw i64 %v16, 4604544271217802189
  %v18 = bitcast i64 %v17 to double
  %v19 = fadd double %v18, -1.000000e+00
  %v20 = fmul double %v19, 0x3FDBCB7B1526E50E
  %v21 = fadd double %v20, %v15
  %v22 = fadd double %v19, 2.000000e+00
  %v23 = fdiv double %v19, %v22
  %v24 = fmul double %v23, %v23
  %v25 = tail call double @llvm.fma.f64(double %v24, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v24, double 0x3FC74664A41971F1)
  %v27 = tail call double @llvm.fma.f64(double %v26, double %v24, double 0x3FCC71C51D57B847)
  %v28 = tail call double @llvm.fma.f64(double %v27, double %v24, double 0x3FD249249422C781)
  %v29 = tail call double @llvm.fma.f64(double %v28, double %v24, double 0x3FD999999997F9E0)
  %v30 = tail call double @llvm.fma.f64(double %v29, double %v24, double 0x3FE5555555555593)
  %v31 = fmul double %v19, %v19
  %v32 = fmul double %v31, 5.000000e-01
  %v33 = tail call double @llvm.fma.f64(double %v24, double %v30, double %v32)
  %v34 = fneg double %v32
  %v35 = tail call double @llvm.fma.f64(double %v23, double %v33, double %v34)
  %v36 = fneg double %v20
  %v37 = tail call double @llvm.fma.f64(double %v19, double 0x3FDBCB7B1526E50E, double %v36)
  %v38 = tail call double @llvm.fma.f64(double %v19, double 0x3C695355BAAAFAD3, double %v37)
  %v39 = tail call double @llvm.fma.f64(double %v35, double 0x3FDBCB7B1526E50E, double %v38)
  %v40 = fsub double %v21, %v15
  %v41 = fsub double %v20, %v40
  %v42 = fadd double %v41, %v39
  %v43 = tail call double @llvm.fma.f64(double %v14, double 0xBD380433B83B532A, double %v42)
  %v44 = fadd double %v21, %v43
  %v45 = select i1 %v3, double %v44, double %x
  %v46 = select i1 %v2, double 0x7FF8000000000000, double %v45
  %v47 = select i1 %v1, double 0xFFF0000000000000, double %v46
  ret double %v47
}

define internal float @m_log1p_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fadd float %x, 1.000000e+00
  %v2 = fcmp oeq float %v1, 0.000000e+00
  %v3 = fcmp olt float %v1, 0.000000e+00
  %v4 = fcmp one float %v1, 0x7FF0000000000000
  %v5 = bitcast float %v1 to i32
  %v6 = add i32 %v5, 4913933
  %v7 = lshr i32 %v6, 23
  %v8 = or disjoint i32 %v7, 1258291200
  %v9 = bitcast i32 %v8 to float
  %v10 = fadd float %v9, 0xC160000000000000
  %v11 = fadd float %v10, -1.270000e+02
  %v12 = and i32 %v6, 8388607
  %v13 = add nuw nsw i32 %v12, 1060439283
  %v14 = bitcast i32 %v13 to float
  %v15 = fadd float %v14, -1.000000e+00
  %v16 = fadd float %v1, -1.000000e+00
  %v17 = fsub float %x, %v16
  %v18 = fcmp ogt float %v10, 2.540000e+02
  %v19 = select i1 %v18, float 2.540000e+02, float %v10
  %v20 = fadd float %v19, 0x4160000000000000
  %v21 = bitcast float %v20 to i32
  %v22 = shl i32 %v21, 23
  %v23 = sub i32 2130706432, %v22
  %v24 = bitcast i32 %v23 to float
  %v25 = fmul float %v17, %v24
  %v26 = fmul float %v15, %v15
  %v27 = fsub float %v26, %v15
  %v28 = fadd float %v15, 2.000000e+00
  %v29 = fdiv float %v15, %v28
  %v30 = fmul float %v29, %v29
  %v31 = tail call float @llvm.fma.f32(float %v30, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v32 = tail call float @llvm.fma.f32(float %v31, float %v30, float 0x3FE55557A0000000)
  %v33 = fmul float %v26, 5.000000e-01
  %v34 = tail call float @llvm.fma.f32(float %v30, float %v32, float %v33)
  %v35 = tail call float @llvm.fma.f32(float %v11, float 0x3EB7F7D1C0000000, float %v25)
  %v36 = tail call float @llvm.fma.f32(float %v29, float %v34, float %v35)
  %v37 = tail call float @llvm.fma.f32(float %v25, float %v27, float %v36)
  %v38 = fsub float %v37, %v33
  %v39 = fadd float %v15, %v38
  %v40 = tail call float @llvm.fma.f32(float %v11, float 0x3FE62E4000000000, float %v39)
  %v41 = select i1 %v4, float %v40, float %v1
  %v42 = select i1 %v3, float 0x7FF8000000000000, float %v41
  %v43 = select i1 %v2, float 0xFFF0000000000000, float %v42
  %v44 = tail call float @llvm.copysign.f32(float %v43, float %x)
  ret float %v44
}

define internal double @m_log1p_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fadd double %x, 1.000000e+00
  %v2 = fcmp oeq double %v1, 0.000000e+00
  %v3 = fcmp olt double %v1, 0.000000e+00
  %v4 = fcmp one double %v1, 0x7FF0000000000000
  %v5 = bitcast double %v1 to i64
  %v6 = add i64 %v5, 2638147582215219
  %v7 = lshr i64 %v6, 52
  %v8 = or disjoint i64 %v7, 4841369599423283200
  %v9 = bitcast i64 %v8 to double
  %v10 = fadd double %v9, 0xC330000000000000
  %v11 = fadd double %v10, -1.023000e+03
  %v12 = and i64 %v6, 4503599627370495
  %v13 = add nuw nsw i64 %v12, 4604544271217802189
  %v14 = bitcast i64 %v13 to double
  %v15 = fadd double %v14, -1.000000e+00
  %v16 = fadd double %v1, -1.000000e+00
  %v17 = fsub double %x, %v16
  %v18 = fcmp ogt double %v10, 2.046000e+03
  %v19 = select i1 %v18, double 2.046000e+03, double %v10
  %v20 = fadd double %v19, 0x4330000000000000
  %v21 = bitcast double %v20 to i64
  %v22 = shl i64 %v21, 52
  %v23 = sub i64 9214364837600034816, %v22
  %v24 = bitcast i64 %v23 to double
  %v25 = fmul double %v17, %v24
  %v26 = fmul double %v15, %v15
  %v27 = fsub double %v26, %v15
  %v28 = fadd double %v15, 2.000000e+00
  %v29 = fdiv double %v15, %v28
  %v30 = fmul double %v29, %v29
  %v31 = tail call double @llvm.fma.f64(double %v30, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v32 = tail call double @llvm.fma.f64(double %v31, double %v30, double 0x3FC74664A41971F1)
  %v33 = tail call double @llvm.fma.f64(double %v32, double %v30, double 0x3FCC71C51D57B847)
  %v34 = tail call double @llvm.fma.f64(double %v33, double %v30, double 0x3FD249249422C781)
  %v35 = tail call double @llvm.fma.f64(double %v34, double %v30, double 0x3FD999999997F9E0)
  %v36 = tail call double @llvm.fma.f64(double %v35, double %v30, double 0x3FE5555555555593)
  %v37 = fmul double %v26, 5.000000e-01
  %v38 = tail call double @llvm.fma.f64(double %v30, double %v36, double %v37)
  %v39 = tail call double @llvm.fma.f64(double %v11, double 0xBD48432A1B0E2634, double %v25)
  %v40 = tail call double @llvm.fma.f64(double %v29, double %v38, double %v39)
  %v41 = tail call double @llvm.fma.f64(double %v25, double %v27, double %v40)
  %v42 = fsub double %v41, %v37
  %v43 = fadd double %v15, %v42
  %v44 = tail call double @llvm.fma.f64(double %v11, double 0x3FE62E42FEFA4000, double %v43)
  %v45 = select i1 %v4, double %v44, double %v1
  %v46 = select i1 %v3, double 0x7FF8000000000000, double %v45
  %v47 = select i1 %v2, double 0xFFF0000000000000, double %v46
  %v48 = tail call double @llvm.copysign.f64(double %v47, double %x)
  ret double %v48
}

define internal float @m_log2_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp oeq float %x, 0.000000e+00
  %v2 = fcmp olt float %x, 0.000000e+00
  %v3 = fcmp one float %x, 0x7FF0000000000000
  %v4 = fcmp olt float %x, 0x3810000000000000
  %v5 = fmul float %x, 0x4170000000000000
  %v6 = select i1 %v4, float %v5, float %x
  %v7 = bitcast float %v6 to i32
  %v8 = add i32 %v7, 4913933
  %v9 = lshr i32 %v8, 23
  %v10 = or disjoint i32 %v9, 1258291200
  %v11 = bitcast i32 %v10 to float
  %v12 = fadd float %v11, 0xC160000000000000
  %v13 = select i1 %v4, float 1.510000e+02, float 1.270000e+02
  %v14 = fsub float %v12, %v13
  %v15 = and i32 %v8, 8388607
  %v16 = add nuw nsw i32 %v15, 1060439283
  %v17 = bitcast i32 %v16 to float
  %v18 = fadd float %v17, -1.000000e+00
  %v19 = fmul float %v18, 0x3FF7154760000000
  %v20 = fadd float %v14, %v19
  %v21 = fadd float %v18, 2.000000e+00
  %v22 = fdiv float %v18, %v21
  %v23 = fmul float %v22, %v22
  %v24 = tail call float @llvm.fma.f32(float %v23, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v25 = tail call float @llvm.fma.f32(float %v24, float %v23, float 0x3FE55557A0000000)
  %v26 = fmul float %v18, %v18
  %v27 = fmul float %v26, 5.000000e-01
  %v28 = tail call float @llvm.fma.f32(float %v23, float %v25, float %v27)
  %v29 = fneg float %v27
  %v30 = tail call float @llvm.fma.f32(float %v22, float %v28, float %v29)
  %v31 = fneg float %v19
  %v32 = tail call float @llvm.fma.f32(float %v18, float 0x3FF7154760000000, float %v31)
  %v33 = tail call float @llvm.fma.f32(float %v18, float 0x3E54AE0C00000000, float %v32)
  %v34 = tail call float @llvm.fma.f32(float %v30, float 0x3FF7154760000000, float %v33)
  %v35 = fsub float %v20, %v14
  %v36 = fsub float %v19, %v35
  %v37 = fadd float %v36, %v34
  %v38 = tail call float @llvm.fma.f32(float %v14, float 0.000000e+00, float %v37)
  %v39 = fadd float %v20, %v38
  %v40 = select i1 %v3, float %v39, float %x
  %v41 = select i1 %v2, float 0x7FF8000000000000, float %v40
  %v42 = select i1 %v1, float 0xFFF0000000000000, float %v41
  ret float %v42
}

define internal double @m_log2_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp oeq double %x, 0.000000e+00
  %v2 = fcmp olt double %x, 0.000000e+00
  %v3 = fcmp one double %x, 0x7FF0000000000000
  %v4 = fcmp olt double %x, 0x10000000000000
  %v5 = fmul double %x, 0x4340000000000000
  %v6 = select i1 %v4, double %v5, double %x
  %v7 = bitcast double %v6 to i64
  %v8 = add i64 %v7, 2638147582215219
  %v9 = lshr i64 %v8, 52
  %v10 = or disjoint i64 %v9, 4841369599423283200
  %v11 = bitcast i64 %v10 to double
  %v12 = fadd double %v11, 0xC330000000000000
  %v13 = select i1 %v4, double 1.076000e+03, double 1.023000e+03
  %v14 = fsub double %v12, %v13
  %v15 = and i64 %v8, 4503599627370495
  %v16 = add nuw nsw i64 %v15, 4604544271217802189
  %v17 = bitcast i64 %v16 to double
  %v18 = fadd double %v17, -1.000000e+00
  %v19 = fmul double %v18, 0x3FF71547652B82FE
  %v20 = fadd double %v14, %v19
  %v21 = fadd double %v18, 2.000000e+00
  %v22 = fdiv double %v18, %v21
  %v23 = fmul double %v22, %v22
  %v24 = tail call double @llvm.fma.f64(double %v23, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v25 = tail call double @llvm.fma.f64(double %v24, double %v23, double 0x3FC74664A41971F1)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v23, double 0x3FCC71C51D57B847)
  %v27 = tail call double @llvm.fma.f64(double %v26, double %v23, double 0x3FD249249422C781)
  %v28 = tail call double @llvm.fma.f64(double %v27, double %v23, double 0x3FD999999997F9E0)
  %v29 = tail call double @llvm.fma.f64(double %v28, double %v23, double 0x3FE5555555555593)
  %v30 = fmul double %v18, %v18
  %v31 = fmul double %v30, 5.000000e-01
  %v32 = tail call double @llvm.fma.f64(double %v23, double %v29, double %v31)
  %v33 = fneg double %v31
  %v34 = tail call double @llvm.fma.f64(double %v22, double %v32, double %v33)
  %v35 = fneg double %v19
  %v36 = tail call double @llvm.fma.f64(double %v18, double 0x3FF71547652B82FE, double %v35)
  %v37 = tail call double @llvm.fma.f64(double %v18, double 0x3C7777D0FFDA0D24, double %v36)
  %v38 = tail call double @llvm.fma.f64(double %v34, double 0x3FF71547652B82FE, double %v37)
  %v39 = fsub double %v20, %v14
  %v40 = fsub double %v19, %v39
  %v41 = fadd double %v40, %v38
  %v42 = tail call double @llvm.fma.f64(double %v14, double 0.000000e+00, double %v41)
  %v43 = fadd double %v20, %v42
  %v44 = select i1 %v3, double %v43, double %x
  %v45 = select i1 %v2, double 0x7FF8000000000000, double %v44
  %v46 = select i1 %v1, double 0xFFF0000000000000, double %v45
  ret double %v46
}

define internal float @m_log_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp oeq float %x, 0.000000e+00
  %v2 = fcmp olt float %x, 0.000000e+00
  %v3 = fcmp one float %x, 0x7FF0000000000000
  %v4 = fcmp olt float %x, 0x3810000000000000
  %v5 = fmul float %x, 0x4170000000000000
  %v6 = select i1 %v4, float %v5, float %x
  %v7 = bitcast float %v6 to i32
  %v8 = add i32 %v7, 4913933
  %v9 = lshr i32 %v8, 23
  %v10 = or disjoint i32 %v9, 1258291200
  %v11 = bitcast i32 %v10 to float
  %v12 = fadd float %v11, 0xC160000000000000
  %v13 = select i1 %v4, float 1.510000e+02, float 1.270000e+02
  %v14 = fsub float %v12, %v13
  %v15 = and i32 %v8, 8388607
  %v16 = add nuw nsw i32 %v15, 1060439283
  %v17 = bitcast i32 %v16 to float
  %v18 = fadd float %v17, -1.000000e+00
  %v19 = fadd float %v18, 2.000000e+00
  %v20 = fdiv float %v18, %v19
  %v21 = fmul float %v20, %v20
  %v22 = tail call float @llvm.fma.f32(float %v21, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v23 = tail call float @llvm.fma.f32(float %v22, float %v21, float 0x3FE55557A0000000)
  %v24 = fmul float %v18, %v18
  %v25 = fmul float %v24, 5.000000e-01
  %v26 = tail call float @llvm.fma.f32(float %v21, float %v23, float %v25)
  %v27 = fmul float %v14, 0x3EB7F7D1C0000000
  %v28 = tail call float @llvm.fma.f32(float %v20, float %v26, float %v27)
  %v29 = fsub float %v28, %v25
  %v30 = fadd float %v18, %v29
  %v31 = tail call float @llvm.fma.f32(float %v14, float 0x3FE62E4000000000, float %v30)
  %v32 = select i1 %v3, float %v31, float %x
  %v33 = select i1 %v2, float 0x7FF8000000000000, float %v32
  %v34 = select i1 %v1, float 0xFFF0000000000000, float %v33
  ret float %v34
}

define internal double @m_log_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp oeq double %x, 0.000000e+00
  %v2 = fcmp olt double %x, 0.000000e+00
  %v3 = fcmp one double %x, 0x7FF0000000000000
  %v4 = fcmp olt double %x, 0x10000000000000
  %v5 = fmul double %x, 0x4340000000000000
  %v6 = select i1 %v4, double %v5, double %x
  %v7 = bitcast double %v6 to i64
  %v8 = add i64 %v7, 2638147582215219
  %v9 = lshr i64 %v8, 52
  %v10 = or disjoint i64 %v9, 4841369599423283200
  %v11 = bitcast i64 %v10 to double
  %v12 = fadd double %v11, 0xC330000000000000
  %v13 = select i1 %v4, double 1.076000e+03, double 1.023000e+03
  %v14 = fsub double %v12, %v13
  %v15 = and i64 %v8, 4503599627370495
  %v16 = add nuw nsw i64 %v15, 4604544271217802189
  %v17 = bitcast i64 %v16 to double
  %v18 = fadd double %v17, -1.000000e+00
  %v19 = fadd double %v18, 2.000000e+00
  %v20 = fdiv double %v18, %v19
  %v21 = fmul double %v20, %v20
  %v22 = tail call double @llvm.fma.f64(double %v21, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v23 = tail call double @llvm.fma.f64(double %v22, double %v21, double 0x3FC74664A41971F1)
  %v24 = tail call double @llvm.fma.f64(double %v23, double %v21, double 0x3FCC71C51D57B847)
  %v25 = tail call double @llvm.fma.f64(double %v24, double %v21, double 0x3FD249249422C781)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v21, double 0x3FD999999997F9E0)
  %v27 = tail call double @llvm.fma.f64(double %v26, double %v21, double 0x3FE5555555555593)
  %v28 = fmul double %v18, %v18
  %v29 = fmul double %v28, 5.000000e-01
  %v30 = tail call double @llvm.fma.f64(double %v21, double %v27, double %v29)
  %v31 = fmul double %v14, 0xBD48432A1B0E2634
  %v32 = tail call double @llvm.fma.f64(double %v20, double %v30, double %v31)
  %v33 = fsub double %v32, %v29
  %v34 = fadd double %v18, %v33
  %v35 = tail call double @llvm.fma.f64(double %v14, double 0x3FE62E42FEFA4000, double %v34)
  %v36 = select i1 %v3, double %v35, double %x
  %v37 = select i1 %v2, double 0x7FF8000000000000, double %v36
  %v38 = select i1 %v1, double 0xFFF0000000000000, double %v37
  ret double %v38
}

define internal float @m_nextafter_bfloat16_float32(float %x, float %y) alwaysinline nounwind {
b1:
  %v1 = fcmp uno float %x, %y
  %v2 = fadd float %x, %y
  %v3 = fcmp oeq float %x, %y
  %v4 = tail call float @llvm.fabs.f32(float %x)
  %v5 = fcmp oeq float %v4, 0x7FF0000000000000
  %v6 = tail call float @llvm.copysign.f32(float 0x47EFE00000000000, float %x)
  %v7 = fcmp oeq float %x, 0.000000e+00
  %v8 = fcmp ogt float %y, %x
  %v9 = select i1 %v8, float 0x37A0000000000000, float 0xB7A0000000000000
  %v10 = fcmp ole float %v4, 0x3810000000000000
  %v11 = fadd float %x, %v9
  %v12 = tail call float @llvm.copysign.f32(float %v11, float %x)
  %v13 = fcmp ule float %x, 0.000000e+00
  %v14 = xor i1 %v13, %v8
  %v15 = select i1 %v14, i32 65536, i32 -65536
  %v16 = bitcast float %x to i32
  %v17 = add i32 %v15, %v16
  %v18 = bitcast i32 %v17 to float
  %v19 = select i1 %v10, float %v12, float %v18
  %v20 = select i1 %v7, float %v9, float %v19
  %v21 = select i1 %v5, float %v6, float %v20
  %v22 = select i1 %v3, float %y, float %v21
  %v23 = select i1 %v1, float %v2, float %v22
  ret float %v23
}

define internal double @m_nextafter_bfloat16_float64(double %x, double %y) alwaysinline nounwind {
b1:
  %v1 = fcmp uno double %x, %y
  %v2 = fadd double %x, %y
  %v3 = fcmp oeq double %x, %y
  %v4 = tail call double @llvm.fabs.f64(double %x)
  %v5 = fcmp oeq double %v4, 0x7FF0000000000000
  %v6 = tail call double @llvm.copysign.f64(double 0x47EFE00000000000, double %x)
  %v7 = fcmp oeq double %x, 0.000000e+00
  %v8 = fcmp ogt double %y, %x
  %v9 = select i1 %v8, double 0x37A0000000000000, double 0xB7A0000000000000
  %v10 = fcmp ole double %v4, 0x3810000000000000
  %v11 = fadd double %x, %v9
  %v12 = tail call double @llvm.copysign.f64(double %v11, double %x)
  %v13 = fcmp ule double %x, 0.000000e+00
  %v14 = xor i1 %v13, %v8
  %v15 = select i1 %v14, i64 35184372088832, i64 -35184372088832
  %v16 = bitcast double %x to i64
  %v17 = add i64 %v15, %v16
  %v18 = bitcast i64 %v17 to double
  %v19 = select i1 %v10, double %v12, double %v18
  %v20 = select i1 %v7, double %v9, double %v19
  %v21 = select i1 %v5, double %v6, double %v20
  %v22 = select i1 %v3, double %y, double %v21
  %v23 = select i1 %v1, double %v2, double %v22
  ret double %v23
}

define internal float @m_nextafter_float16_float32(float %x, float %y) alwaysinline nounwind {
b1:
  %v1 = fcmp uno float %x, %y
  %v2 = fadd float %x, %y
  %v3 = fcmp oeq float %x, %y
  %v4 = tail call float @llvm.fabs.f32(float %x)
  %v5 = fcmp oeq float %v4, 0x7FF0000000000000
  %v6 = tail call float @llvm.copysign.f32(float 6.550400e+04, float %x)
  %v7 = fcmp oeq float %x, 0.000000e+00
  %v8 = fcmp ogt float %y, %x
  %v9 = select i1 %v8, float 0x3E70000000000000, float 0xBE70000000000000
  %v10 = fcmp ole float %v4, 0x3F10000000000000
  %v11 = fadd float %x, %v9
  %v12 = tail call float @llvm.copysign.f32(float %v11, float %x)
  %v13 = fcmp ule float %x, 0.000000e+00
  %v14 = xor i1 %v13, %v8
  %v15 = select i1 %v14, i32 8192, i32 -8192
  %v16 = bitcast float %x to i32
  %v17 = add i32 %v15, %v16
  %v18 = bitcast i32 %v17 to float
  %v19 = select i1 %v10, float %v12, float %v18
  %v20 = select i1 %v7, float %v9, float %v19
  %v21 = select i1 %v5, float %v6, float %v20
  %v22 = select i1 %v3, float %y, float %v21
  %v23 = select i1 %v1, float %v2, float %v22
  ret float %v23
}

define internal double @m_nextafter_float16_float64(double %x, double %y) alwaysinline nounwind {
b1:
  %v1 = fcmp uno double %x, %y
  %v2 = fadd double %x, %y
  %v3 = fcmp oeq double %x, %y
  %v4 = tail call double @llvm.fabs.f64(double %x)
  %v5 = fcmp oeq double %v4, 0x7FF0000000000000
  %v6 = tail call double @llvm.copysign.f64(double 6.550400e+04, double %x)
  %v7 = fcmp oeq double %x, 0.000000e+00
  %v8 = fcmp ogt double %y, %x
  %v9 = select i1 %v8, double 0x3E70000000000000, double 0xBE70000000000000
  %v10 = fcmp ole double %v4, 0x3F10000000000000
  %v11 = fadd double %x, %v9
  %v12 = tail call double @llvm.copysign.f64(double %v11, double %x)
  %v13 = fcmp ule double %x, 0.000000e+00
  %v14 = xor i1 %v13, %v8
  %v15 = select i1 %v14, i64 4398046511104, i64 -4398046511104
  %v16 = bitcast double %x to i64
  %v17 = add i64 %v15, %v16
  %v18 = bitcast i64 %v17 to double
  %v19 = select i1 %v10, double %v12, double %v18
  %v20 = select i1 %v7, double %v9, double %v19
  %v21 = select i1 %v5, double %v6, double %v20
  %v22 = select i1 %v3, double %y, double %v21
  %v23 = select i1 %v1, double %v2, double %v22
  ret double %v23
}

define internal float @m_nextafter_float32(float %x, float %y) alwaysinline nounwind {
b1:
  %v1 = fcmp uno float %x, %y
  %v2 = fadd float %x, %y
  %v3 = fcmp oeq float %x, %y
  %v4 = tail call float @llvm.fabs.f32(float %x)
  %v5 = fcmp oeq float %v4, 0x7FF0000000000000
  %v6 = tail call float @llvm.copysign.f32(float 0x47EFFFFFE0000000, float %x)
  %v7 = fcmp oeq float %x, 0.000000e+00
  %v8 = fcmp ogt float %y, %x
  %v9 = select i1 %v8, float 0x36A0000000000000, float 0xB6A0000000000000
  %v10 = fcmp ole float %v4, 0x3810000000000000
  %v11 = fadd float %x, %v9
  %v12 = tail call float @llvm.copysign.f32(float %v11, float %x)
  %v13 = fcmp ule float %x, 0.000000e+00
  %v14 = xor i1 %v13, %v8
  %v15 = select i1 %v14, i32 1, i32 -1
  %v16 = bitcast float %x to i32
  %v17 = add i32 %v15, %v16
  %v18 = bitcast i32 %v17 to float
  %v19 = select i1 %v10, float %v12, float %v18
  %v20 = select i1 %v7, float %v9, float %v19
  %v21 = select i1 %v5, float %v6, float %v20
  %v22 = select i1 %v3, float %y, float %v21
  %v23 = select i1 %v1, float %v2, float %v22
  ret float %v23
}

define internal double @m_nextafter_float64(double %x, double %y) alwaysinline nounwind {
b1:
  %v1 = fcmp uno double %x, %y
  %v2 = fadd double %x, %y
  %v3 = fcmp oeq double %x, %y
  %v4 = tail call double @llvm.fabs.f64(double %x)
  %v5 = fcmp oeq double %v4, 0x7FF0000000000000
  %v6 = tail call double @llvm.copysign.f64(double 0x7FEFFFFFFFFFFFFF, double %x)
  %v7 = fcmp oeq double %x, 0.000000e+00
  %v8 = fcmp ogt double %y, %x
  %v9 = select i1 %v8, double 4.940660e-324, double -4.940660e-324
  %v10 = fcmp ole double %v4, 0x10000000000000
  %v11 = fadd double %x, %v9
  %v12 = tail call double @llvm.copysign.f64(double %v11, double %x)
  %v13 = fcmp ule double %x, 0.000000e+00
  %v14 = xor i1 %v13, %v8
  %v15 = select i1 %v14, i64 1, i64 -1
  %v16 = bitcast double %x to i64
  %v17 = add i64 %v15, %v16
  %v18 = bitcast i64 %v17 to double
  %v19 = select i1 %v10, double %v12, double %v18
  %v20 = select i1 %v7, double %v9, double %v19
  %v21 = select i1 %v5, double %v6, double %v20
  %v22 = select i1 %v3, double %y, double %v21
  %v23 = select i1 %v1, double %v2, double %v22
  ret double %v23
}

define internal float @m_polygamma_float32(float %x, float %y) nounwind {
b1:
  %v1 = fpext float %x to double
  %v2 = fpext float %y to double
  %v3 = fcmp oeq float %x, 0.000000e+00
  br i1 %v3, label %b2, label %b10
b2:
  %v4 = fcmp oeq float %y, 0.000000e+00
  br i1 %v4, label %b7, label %b3
b3:
  %v5 = fcmp olt float %y, 0.000000e+00
  br i1 %v5, label %b4, label %b5
b4:
  %v6 = tail call double @llvm.floor.f64(double %v2)
  %v7 = fcmp oeq double %v6, %v2
  br i1 %v7, label %b28, label %b8
b5:
  %v8 = phi double [ %v9, %b8 ], [ %v2, %b3 ]
  %v10 = phi double [ %v11, %b8 ], [ 0.000000e+00, %b3 ]
  %v12 = fcmp olt double %v8, 1.000000e+01
  br i1 %v12, label %b6, label %b9
b6:
  %v13 = phi double [ %v14, %b6 ], [ %v8, %b5 ]
  %v15 = phi double [ %v16, %b6 ], [ %v10, %b5 ]
  %v17 = fdiv double 1.000000e+00, %v13
  %v16 = fsub double %v15, %v17
  %v14 = fadd double %v13, 1.000000e+00
  %v18 = fcmp olt double %v14, 1.000000e+01
  br i1 %v18, label %b6, label %b9
b7:
  %v19 = fdiv float -1.000000e+00, %y
  br label %b28
b8:
  %v20 = tail call double @llvm.roundeven.f64(double %v2)
  %v21 = fsub double %v2, %v20
  %v22 = fmul double %v21, 0x400921FB54442D18
  %v23 = tail call double @llvm.fma.f64(double %v22, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v24 = fadd double %v23, 0xC338000000000000
  %v25 = fneg double %v24
  %v26 = tail call double @llvm.fma.f64(double %v25, double 0x3FF921FB54442D18, double %v22)
  %v27 = fmul double %v24, 0x3C91A62633145C07
  %v28 = fsub double %v26, %v27
  %v29 = fsub double %v28, %v26
  %v30 = fsub double %v28, %v29
  %v31 = fsub double %v26, %v30
  %v32 = fadd double %v27, %v29
  %v33 = fsub double %v31, %v32
  %v34 = fneg double %v27
  %v35 = tail call double @llvm.fma.f64(double %v24, double 0x3C91A62633145C07, double %v34)
  %v36 = fsub double %v33, %v35
  %v37 = tail call double @llvm.fma.f64(double %v25, double 0xB91F1976B7ED9000, double %v36)
  %v38 = bitcast double %v23 to i64
  %v39 = fmul double %v28, %v28
  %v40 = fmul double %v28, %v39
  %v41 = tail call double @llvm.fma.f64(double %v39, double 0x3EE5759299B92C5A, double 0xBEFB7F7AA114A3CF)
  %v42 = tail call double @llvm.fma.f64(double %v41, double %v39, double 0x3F0B909B210979E0)
  %v43 = tail call double @llvm.fma.f64(double %v42, double %v39, double 0xBEFFD44B7EFC6BDB)
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v39, double 0x3F1299A9B3083AC9)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v39, double 0x3F155E07901CAB29)
  %v46 = tail call double @llvm.fma.f64(double %v45, double %v39, double 0x3F3006E60E1DB54F)
  %v47 = tail call double @llvm.fma.f64(double %v46, double %v39, double 0x3F4349DEBFE3976F)
  %v48 = tail call double @llvm.fma.f64(double %v47, double %v39, double 0x3F57DB49588EA3CA)
  %v49 = tail call double @llvm.fma.f64(double %v48, double %v39, double 0x3F6D6D2B11FC2E19)
  %v50 = tail call double @llvm.fma.f64(double %v49, double %v39, double 0x3F8226E3BD065FDF)
  %v51 = tail call double @llvm.fma.f64(double %v50, double %v39, double 0x3F9664F4852C1407)
  %v52 = tail call double @llvm.fma.f64(double %v51, double %v39, double 0x3FABA1BA1BAF01E9)
  %v53 = tail call double @llvm.fma.f64(double %v52, double %v39, double 0x3FC111111111022F)
  %v54 = tail call double @llvm.fma.f64(double %v53, double %v39, double 0x3FD5555555555561)
  %v55 = fmul double %v40, %v54
  %v56 = fadd double %v28, %v55
  %v57 = tail call double @llvm.fma.f64(double %v56, double %v56, double 1.000000e+00)
  %v58 = fsub double %v56, %v28
  %v59 = fsub double %v55, %v58
  %v60 = tail call double @llvm.fma.f64(double %v37, double %v57, double %v59)
  %v61 = fdiv double -1.000000e+00, %v56
  %v62 = tail call double @llvm.fma.f64(double %v61, double %v56, double 1.000000e+00)
  %v63 = tail call double @llvm.fma.f64(double %v61, double %v60, double %v62)
  %v64 = tail call double @llvm.fma.f64(double %v61, double %v63, double %v61)
  %v65 = and i64 %v38, 1
  %v66 = icmp eq i64 %v65, 0
  %v67 = fadd double %v56, %v60
  %v68 = select i1 %v66, double %v67, double %v64
  %v69 = fcmp oeq double %v22, 0.000000e+00
  %v70 = select i1 %v69, double %v22, double %v68
  %v11 = fdiv double 0xC00921FB54442D18, %v70
  %v9 = fsub double 1.000000e+00, %v2
  br label %b5
b9:
  %v71 = phi double [ %v8, %b5 ], [ %v14, %b6 ]
  %v72 = phi double [ %v10, %b5 ], [ %v16, %b6 ]
  %v73 = fcmp olt double %v71, 0x10000000000000
  %v74 = fmul double %v71, 0x4340000000000000
  %v75 = select i1 %v73, double %v74, double %v71
  %v76 = bitcast double %v75 to i64
  %v77 = add i64 %v76, 2638147582215219
  %v78 = lshr i64 %v77, 52
  %v79 = or disjoint i64 %v78, 4841369599423283200
  %v80 = bitcast i64 %v79 to double
  %v81 = fadd double %v80, 0xC330000000000000
  %v82 = and i64 %v77, 4503599627370495
  %v83 = add nuw nsw i64 %v82, 4604544271217802189
  %v84 = bitcast i64 %v83 to double
  %v85 = fadd double %v84, -1.000000e+00
  %v86 = select i1 %v73, double 1.076000e+03, double 1.023000e+03
  %v87 = fsub double %v81, %v86
  %v88 = fmul double %v85, %v85
  %v89 = fmul double %v88, 5.000000e-01
  %v90 = fadd double %v85, 2.000000e+00
  %v91 = fdiv double %v85, %v90
  %v92 = fmul double %v91, %v91
  %v93 = tail call double @llvm.fma.f64(double %v92, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v94 = tail call double @llvm.fma.f64(double %v93, double %v92, double 0x3FC74664A41971F1)
  %v95 = tail call double @llvm.fma.f64(double %v94, double %v92, double 0x3FCC71C51D57B847)
  %v96 = tail call double @llvm.fma.f64(double %v95, double %v92, double 0x3FD249249422C781)
  %v97 = tail call double @llvm.fma.f64(double %v96, double %v92, double 0x3FD999999997F9E0)
  %v98 = tail call double @llvm.fma.f64(double %v97, double %v92, double 0x3FE5555555555593)
  %v99 = tail call double @llvm.fma.f64(double %v92, double %v98, double %v89)
  %v100 = fmul double %v87, 0xBD48432A1B0E2634
  %v101 = tail call double @llvm.fma.f64(double %v91, double %v99, double %v100)
  %v102 = fsub double %v101, %v89
  %v103 = fadd double %v85, %v102
  %v104 = tail call double @llvm.fma.f64(double %v87, double 0x3FE62E42FEFA4000, double %v103)
  %v105 = fcmp one double %v71, 0x7FF0000000000000
  %v106 = select i1 %v105, double %v104, double %v71
  %v107 = fcmp olt double %v71, 0.000000e+00
  %v108 = select i1 %v107, double 0x7FF8000000000000, double %v106
  %v109 = fcmp oeq double %v71, 0.000000e+00
  %v110 = select i1 %v109, double 0xFFF0000000000000, double %v108
  %v111 = fmul double %v71, %v71
  %v112 = fdiv double 1.000000e+00, %v111
  %v113 = fdiv double 5.000000e-01, %v71
  %v114 = fsub double %v110, %v113
  %v115 = tail call double @llvm.fma.f64(double %v112, double 0xBFDC5E5E5E5E5E5E, double 0x3FB5555555555556)
  %v116 = tail call double @llvm.fma.f64(double %v115, double %v112, double 0xBF95995995995995)
  %v117 = tail call double @llvm.fma.f64(double %v116, double %v112, double 0x3F7F07C1F07C1F08)
  %v118 = tail call double @llvm.fma.f64(double %v117, double %v112, double 0xBF71111111111111)
  %v119 = tail call double @llvm.fma.f64(double %v118, double %v112, double 0x3F70410410410410)
  %v120 = tail call double @llvm.fma.f64(double %v119, double %v112, double 0xBF81111111111111)
  %v121 = tail call double @llvm.fma.f64(double %v120, double %v112, double 0x3FB5555555555555)
  %v122 = fmul double %v112, %v121
  %v123 = fsub double %v114, %v122
  %v124 = fadd double %v72, %v123
  %v125 = fptrunc double %v124 to float
  br label %b28
b10:
  %v126 = fcmp ogt float %x, 0.000000e+00
  br i1 %v126, label %b11, label %b28
b11:
  %v127 = fcmp ugt float %x, 1.700000e+02
  %v128 = tail call double @llvm.floor.f64(double %v1)
  %v129 = fcmp une double %v128, %v1
  %v130 = or i1 %v127, %v129
  %v131 = fcmp ueq float %y, 0xFFF0000000000000
  %v132 = select i1 %v130, i1 true, i1 %v131
  br i1 %v132, label %b28, label %b12
b12:
  %v133 = fmul double %v1, 5.000000e-01
  %v134 = tail call double @llvm.floor.f64(double %v133)
  %v135 = fmul double %v134, 2.000000e+00
  %v136 = fcmp une double %v135, %v1
  %v137 = fcmp ole float %y, 0.000000e+00
  %v138 = tail call double @llvm.floor.f64(double %v2)
  %v139 = fcmp oeq double %v138, %v2
  %v140 = and i1 %v137, %v139
  br i1 %v140, label %b13, label %b14
b13:
  %v141 = select i1 %v136, double 0x7FF0000000000000, double 0x7FF8000000000000
  %v142 = fptrunc double %v141 to float
  br label %b28
b14:
  %v143 = fcmp ult float %x, 1.000000e+00
  br i1 %v143, label %b16, label %b15
b15:
  %v144 = phi double [ %v145, %b15 ], [ 1.000000e+00, %b14 ]
  %v146 = phi double [ %v147, %b15 ], [ 1.000000e+00, %b14 ]
  %v145 = fmul double %v144, %v146
  %v147 = fadd double %v146, 1.000000e+00
  %v148 = fcmp ugt double %v147, %v1
  br i1 %v148, label %b16, label %b15
b16:
  %v149 = phi double [ 1.000000e+00, %b14 ], [ %v145, %b15 ]
  %v150 = select i1 %v136, double 1.000000e+00, double -1.000000e+00
  %v151 = tail call double @llvm.roundeven.f64(double %v2)
  %v152 = fsub double %v2, %v151
  %v153 = tail call double @llvm.fabs.f64(double %v152)
  %v154 = fsub double 1.000000e+00, %v153
  %v155 = fcmp olt double %v151, %v2
  %v156 = select i1 %v155, double %v154, double %v153
  %v157 = select i1 %v155, double %v153, double %v154
  %v158 = fcmp ogt float %y, 0.000000e+00
  %v159 = select i1 %v158, double 1.000000e+00, double 3.000000e+00
  %v160 = fadd double %v1, 1.200000e+01
  %v161 = fdiv double 1.000000e+00, %v1
  %v162 = fadd double %v1, 1.000000e+00
  %v163 = fmul double %v162, 5.000000e-01
  %v164 = fadd double %v1, 2.000000e+00
  %v165 = fadd double %v164, 1.000000e+00
  %v166 = fmul double %v164, %v165
  %v167 = fdiv double %v166, 1.200000e+01
  %v168 = fadd double %v1, 4.000000e+00
  %v169 = fadd double %v168, 1.000000e+00
  %v170 = fmul double %v168, %v169
  %v171 = fdiv double %v170, 3.000000e+01
  %v172 = fadd double %v1, 6.000000e+00
  %v173 = fadd double %v172, 1.000000e+00
  %v174 = fmul double %v172, %v173
  %v175 = fdiv double %v174, 5.600000e+01
  %v176 = fadd double %v1, 8.000000e+00
  %v177 = fadd double %v176, 1.000000e+00
  %v178 = fmul double %v176, %v177
  %v179 = fdiv double %v178, 9.000000e+01
  %v180 = fadd double %v1, 1.000000e+01
  %v181 = fadd double %v180, 1.000000e+00
  %v182 = fmul double %v180, %v181
  %v183 = fdiv double %v182, 1.320000e+02
  %v184 = fadd double %v160, 1.000000e+00
  %v185 = fmul double %v160, %v184
  %v186 = fdiv double %v185, 1.820000e+02
  %v187 = fadd double %v1, 1.400000e+01
  %v188 = fadd double %v187, 1.000000e+00
  %v189 = fmul double %v187, %v188
  %v190 = fdiv double %v189, 2.400000e+02
  %v191 = fcmp ole float %x, 8.000000e+00
  %v192 = tail call double @llvm.trunc.f64(double %v1)
  %v193 = fcmp oeq double %v192, %v1
  %v194 = and i1 %v191, %v193
  %v195 = fcmp oeq float %x, 8.000000e+00
  %v196 = tail call double @llvm.trunc.f64(double %v133)
  %v197 = fmul double %v196, 5.000000e-01
  %v198 = tail call double @llvm.trunc.f64(double %v197)
  %v199 = fmul double %v198, 5.000000e-01
  %v200 = tail call double @llvm.trunc.f64(double %v199)
  %v201 = fadd double %v200, %v200
  %v202 = fcmp une double %v198, %v201
  %v203 = fadd double %v198, %v198
  %v204 = fcmp une double %v196, %v203
  %v205 = fadd double %v196, %v196
  %v206 = fcmp une double %v205, %v1
  %v207 = fneg double %v1
  %v208 = tail call double @llvm.trunc.f64(double %v207)
  %v209 = fcmp oeq double %v208, %v207
  %v210 = fmul double %v1, -5.000000e-01
  %v211 = tail call double @llvm.trunc.f64(double %v210)
  %v212 = fcmp une double %v211, %v210
  %v213 = xor i1 %v209, true
  %v214 = fsub double 1.000000e+00, %v2
  %v215 = fneg double %v150
  %v216 = fsub double -1.000000e+00, %v1
  %v217 = tail call double @llvm.fabs.f64(double %v216)
  %v218 = fmul double %v217, 5.000000e-01
  %v219 = tail call double @llvm.trunc.f64(double %v218)
  %v220 = fmul double %v219, 5.000000e-01
  %v221 = tail call double @llvm.trunc.f64(double %v220)
  %v222 = fmul double %v221, 5.000000e-01
  %v223 = tail call double @llvm.trunc.f64(double %v222)
  %v224 = fadd double %v219, %v219
  %v225 = fadd double %v221, %v221
  %v226 = fadd double %v223, %v223
  %v227 = tail call double @llvm.trunc.f64(double %v217)
  %v228 = fcmp oeq double %v217, %v227
  %v229 = fcmp ole double %v217, 8.000000e+00
  %v230 = and i1 %v229, %v228
  %v231 = fmul double %v216, 5.000000e-01
  %v232 = tail call double @llvm.trunc.f64(double %v231)
  %v233 = fcmp une double %v232, %v231
  %v234 = tail call double @llvm.trunc.f64(double %v216)
  %v235 = fcmp oeq double %v234, %v216
  %v236 = xor i1 %v235, true
  %v237 = fcmp oeq double %v217, 0x7FF0000000000000
  %v238 = fcmp olt double %v216, 0.000000e+00
  %v239 = fcmp oeq double %v217, 8.000000e+00
  %v240 = fcmp une double %v221, %v226
  %v241 = fcmp une double %v219, %v225
  %v242 = fcmp une double %v217, %v224
  %v243 = and i1 %v233, %v235
  %v244 = and i1 %v212, %v209
  br label %b17
b17:
  %v245 = phi double [ 0.000000e+00, %b16 ], [ %v246, %b27 ]
  %v247 = phi double [ 0.000000e+00, %b16 ], [ %v248, %b27 ]
  br i1 %v158, label %b21, label %b18
b18:
  %v249 = fcmp oeq double %v245, 0.000000e+00
  br i1 %v249, label %b21, label %b19
b19:
  %v250 = fcmp oeq double %v245, 1.000000e+00
  br i1 %v250, label %b21, label %b20
b20:
  br label %b21
b21:
  %v251 = phi double [ %v214, %b20 ], [ %v2, %b17 ], [ %v157, %b18 ], [ %v156, %b19 ]
  %v252 = fcmp oeq double %v245, 0.000000e+00
  br i1 %v252, label %b24, label %b22
b22:
  %v253 = fcmp oeq double %v245, 1.000000e+00
  br i1 %v253, label %b24, label %b23
b23:
  br label %b24
b24:
  %v254 = phi double [ %v215, %b23 ], [ 1.000000e+00, %b21 ], [ %v150, %b22 ]
  %v255 = fcmp olt double %v251, %v160
  br i1 %v255, label %b25, label %b27
b25:
  %v256 = phi double [ %v257, %b25 ], [ %v251, %b24 ]
  %v258 = phi double [ %v259, %b25 ], [ 0.000000e+00, %b24 ]
  %v260 = fmul double %v256, %v256
  %v261 = fmul double %v260, %v260
  %v262 = select i1 %v242, double %v256, double 1.000000e+00
  %v263 = fmul double %v260, %v262
  %v264 = select i1 %v241, double %v263, double %v262
  %v265 = fmul double %v261, %v264
  %v266 = select i1 %v240, double %v265, double %v264
  %v267 = fmul double %v261, %v261
  %v268 = select i1 %v239, double %v267, double %v266
  %v269 = select i1 %v230, double %v268, double 0x7FF8000000000000
  %v270 = tail call double @llvm.fabs.f64(double %v269)
  %v271 = fcmp oeq double %v270, 0x7FF0000000000000
  %v272 = tail call double @llvm.fabs.f64(double %v256)
  %v273 = fcmp one double %v272, 0x7FF0000000000000
  %v274 = and i1 %v273, %v271
  %v275 = fdiv double 1.000000e+00, %v269
  %v276 = select i1 %v274, double 0x7FF8000000000000, double %v275
  %v277 = select i1 %v238, double %v276, double %v269
  %v278 = fcmp oeq double %v256, 0.000000e+00
  %v279 = fcmp olt double %v272, 0x10000000000000
  %v280 = fmul double %v272, 0x4340000000000000
  %v281 = select i1 %v279, double %v280, double %v272
  %v282 = bitcast double %v281 to i64
  %v283 = add i64 %v282, 2638147582215219
  %v284 = lshr i64 %v283, 52
  %v285 = or disjoint i64 %v284, 4841369599423283200
  %v286 = bitcast i64 %v285 to double
  %v287 = fadd double %v286, 0xC330000000000000
  %v288 = select i1 %v279, double 1.076000e+03, double 1.023000e+03
  %v289 = fsub double %v287, %v288
  %v290 = fmul double %v289, 0x3FE62E42FEFA4000
  %v291 = and i64 %v283, 4503599627370495
  %v292 = add nuw nsw i64 %v291, 4604544271217802189
  %v293 = bitcast i64 %v292 to double
  %v294 = fadd double %v293, -1.000000e+00
  %v295 = fadd double %v294, 2.000000e+00
  %v296 = fdiv double 1.000000e+00, %v295
  %v297 = fmul double %v294, %v296
  %v298 = fmul double %v297, %v297
  %v299 = fmul double %v297, %v298
  %v300 = tail call double @llvm.fma.f64(double %v298, double 0x3FB0E48C86029D98, double 0x3FB0F7F491D7840F)
  %v301 = tail call double @llvm.fma.f64(double %v300, double %v298, double 0x3FB3B1EF291B286B)
  %v302 = tail call double @llvm.fma.f64(double %v301, double %v298, double 0x3FB745CE9C13DB3B)
  %v303 = tail call double @llvm.fma.f64(double %v302, double %v298, double 0x3FBC71C722DC3A56)
  %v304 = tail call double @llvm.fma.f64(double %v303, double %v298, double 0x3FC2492492457977)
  %v305 = tail call double @llvm.fma.f64(double %v304, double %v298, double 0x3FC9999999999B32)
  %v306 = fmul double %v298, %v305
  %v307 = fadd double %v306, 0x3FD5555555555555
  %v308 = fmul double %v299, %v307
  %v309 = fadd double %v297, %v308
  %v310 = fmul double %v309, 2.000000e+00
  %v311 = fadd double %v290, %v310
  %v312 = select i1 %v273, double %v311, double %v272
  %v313 = select i1 %v278, double 0xFFF0000000000000, double %v312
  %v314 = fmul double %v216, %v313
  %v315 = fcmp olt double %v314, -7.460000e+02
  %v316 = fcmp ogt double %v314, 7.105000e+02
  %v317 = select i1 %v316, double 7.105000e+02, double %v314
  %v318 = select i1 %v315, double -7.460000e+02, double %v317
  %v319 = or i1 %v315, %v316
  %v320 = fsub double %v290, %v311
  %v321 = fadd double %v310, %v320
  %v322 = fsub double %v297, %v309
  %v323 = fadd double %v308, %v322
  %v324 = fneg double %v297
  %v325 = fadd double %v295, -2.000000e+00
  %v326 = fsub double %v294, %v325
  %v327 = tail call double @llvm.fma.f64(double %v324, double %v295, double %v294)
  %v328 = tail call double @llvm.fma.f64(double %v324, double %v326, double %v327)
  %v329 = fmul double %v296, %v328
  %v330 = fsub double 0x3FD5555555555555, %v307
  %v331 = fadd double %v306, %v330
  %v332 = fadd double %v331, 0x3C75555555555555
  %v333 = fmul double %v297, 2.000000e+00
  %v334 = fneg double %v298
  %v335 = tail call double @llvm.fma.f64(double %v297, double %v297, double %v334)
  %v336 = tail call double @llvm.fma.f64(double %v333, double %v329, double %v335)
  %v337 = fneg double %v299
  %v338 = tail call double @llvm.fma.f64(double %v297, double %v298, double %v337)
  %v339 = tail call double @llvm.fma.f64(double %v329, double %v298, double %v338)
  %v340 = tail call double @llvm.fma.f64(double %v297, double %v336, double %v339)
  %v341 = fneg double %v308
  %v342 = tail call double @llvm.fma.f64(double %v299, double %v307, double %v341)
  %v343 = tail call double @llvm.fma.f64(double %v340, double %v307, double %v342)
  %v344 = tail call double @llvm.fma.f64(double %v299, double %v332, double %v343)
  %v345 = fadd double %v329, %v344
  %v346 = fadd double %v323, %v345
  %v347 = fmul double %v346, 2.000000e+00
  %v348 = tail call double @llvm.fma.f64(double %v289, double 0xBD48432A1B0E2634, double %v347)
  %v349 = fadd double %v321, %v348
  %v350 = fneg double %v314
  %v351 = tail call double @llvm.fma.f64(double %v216, double %v313, double %v350)
  %v352 = tail call double @llvm.fma.f64(double %v216, double %v349, double %v351)
  %v353 = select i1 %v319, double 0.000000e+00, double %v352
  %v354 = fcmp oeq double %v256, 1.000000e+00
  %v355 = fcmp oeq double %v272, 1.000000e+00
  %v356 = and i1 %v237, %v355
  %v357 = or i1 %v354, %v356
  %v358 = bitcast double %v256 to i64
  %v359 = icmp slt i64 %v358, 0
  %v360 = and i1 %v359, %v243
  %v361 = fcmp olt double %v256, 0.000000e+00
  %v362 = and i1 %v361, %v236
  %v363 = and i1 %v273, %v362
  %v364 = tail call double @llvm.fma.f64(double %v318, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v365 = fadd double %v364, 0xC338000000000000
  %v366 = fneg double %v365
  %v367 = tail call double @llvm.fma.f64(double %v366, double 0x3FE62E42FEFA4000, double %v318)
  %v368 = tail call double @llvm.fma.f64(double %v366, double 0xBD48432A1B0E2634, double %v367)
  %v369 = fmul double %v368, %v368
  %v370 = tail call double @llvm.fma.f64(double %v368, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v371 = tail call double @llvm.fma.f64(double %v370, double %v368, double 0x3E927E4DB81FC5C4)
  %v372 = tail call double @llvm.fma.f64(double %v371, double %v368, double 0x3EC71DDED4DF15D0)
  %v373 = tail call double @llvm.fma.f64(double %v372, double %v368, double 0x3EFA01A01A70E1D0)
  %v374 = tail call double @llvm.fma.f64(double %v373, double %v368, double 0x3F2A01A01B4A1A68)
  %v375 = tail call double @llvm.fma.f64(double %v374, double %v368, double 0x3F56C16C16C1618C)
  %v376 = tail call double @llvm.fma.f64(double %v375, double %v368, double 0x3F8111111110E966)
  %v377 = tail call double @llvm.fma.f64(double %v376, double %v368, double 0x3FA5555555555556)
  %v378 = tail call double @llvm.fma.f64(double %v377, double %v368, double 0x3FC555555555555C)
  %v379 = tail call double @llvm.fma.f64(double %v378, double %v368, double 5.000000e-01)
  %v380 = tail call double @llvm.fma.f64(double %v369, double %v379, double %v368)
  %v381 = fadd double %v380, 1.000000e+00
  %v382 = tail call double @llvm.fma.f64(double %v353, double %v381, double %v380)
  %v383 = fadd double %v382, 1.000000e+00
  %v384 = bitcast double %v364 to i64
  %v385 = add i64 %v384, -4843621399236967424
  %v386 = lshr i64 %v385, 1
  %v387 = shl i64 %v386, 52
  %v388 = add i64 %v387, 2301339409586323456
  %v389 = bitcast i64 %v388 to double
  %v390 = fmul double %v383, %v389
  %v391 = sub i64 %v385, %v386
  %v392 = shl i64 %v391, 52
  %v393 = add i64 %v392, 2301339409586323456
  %v394 = bitcast i64 %v393 to double
  %v395 = fmul double %v390, %v394
  %v396 = select i1 %v363, double 0x7FF8000000000000, double %v395
  %v397 = fneg double %v396
  %v398 = select i1 %v360, double %v397, double %v396
  %v399 = select i1 %v357, double 1.000000e+00, double %v398
  %v400 = fcmp ord double %v277, 0.000000e+00
  %v401 = select i1 %v400, double %v277, double %v399
  %v259 = fadd double %v258, %v401
  %v257 = fadd double %v256, 1.000000e+00
  %v402 = fcmp olt double %v257, %v160
  br i1 %v402, label %b25, label %b27
b26:
  %v403 = fmul double %v150, %v149
  %v404 = fmul double %v403, %v248
  %v405 = fptrunc double %v404 to float
  br label %b28
b27:
  %v406 = phi double [ %v251, %b24 ], [ %v257, %b25 ]
  %v407 = phi double [ 0.000000e+00, %b24 ], [ %v259, %b25 ]
  %v408 = fdiv double 5.000000e-01, %v406
  %v409 = fadd double %v161, %v408
  %v410 = fmul double %v406, %v406
  %v411 = fdiv double 1.000000e+00, %v410
  %v412 = fmul double %v163, %v411
  %v413 = fmul double %v412, 0x3FC5555555555555
  %v414 = fadd double %v409, %v413
  %v415 = fmul double %v167, %v411
  %v416 = fmul double %v412, %v415
  %v417 = fmul double %v416, 0x3FA1111111111111
  %v418 = fsub double %v414, %v417
  %v419 = fmul double %v171, %v411
  %v420 = fmul double %v419, %v416
  %v421 = fmul double %v420, 0x3F98618618618618
  %v422 = fadd double %v418, %v421
  %v423 = fmul double %v175, %v411
  %v424 = fmul double %v423, %v420
  %v425 = fmul double %v424, 0x3FA1111111111111
  %v426 = fsub double %v422, %v425
  %v427 = fmul double %v179, %v411
  %v428 = fmul double %v427, %v424
  %v429 = fmul double %v428, 0x3FB364D9364D9365
  %v430 = fadd double %v426, %v429
  %v431 = fmul double %v183, %v411
  %v432 = fmul double %v431, %v428
  %v433 = fmul double %v432, 0x3FD0330330330330
  %v434 = fsub double %v430, %v433
  %v435 = fmul double %v186, %v411
  %v436 = fmul double %v435, %v432
  %v437 = fmul double %v436, 0x3FF2AAAAAAAAAAAB
  %v438 = fadd double %v434, %v437
  %v439 = fmul double %v190, %v411
  %v440 = fmul double %v439, %v436
  %v441 = fmul double %v440, 0x401C5E5E5E5E5E5E
  %v442 = fsub double %v438, %v441
  %v443 = tail call double @llvm.fabs.f64(double %v406)
  %v444 = fcmp one double %v443, 0x7FF0000000000000
  %v445 = fmul double %v410, %v410
  %v446 = fmul double %v445, %v445
  %v447 = select i1 %v206, double %v406, double 1.000000e+00
  %v448 = fmul double %v410, %v447
  %v449 = select i1 %v204, double %v448, double %v447
  %v450 = fmul double %v445, %v449
  %v451 = select i1 %v202, double %v450, double %v449
  %v452 = select i1 %v195, double %v446, double %v451
  %v453 = select i1 %v194, double %v452, double 0x7FF8000000000000
  %v454 = tail call double @llvm.fabs.f64(double %v453)
  %v455 = fcmp oeq double %v454, 0x7FF0000000000000
  %v456 = and i1 %v444, %v455
  %v457 = fdiv double 1.000000e+00, %v453
  %v458 = select i1 %v456, double 0x7FF8000000000000, double %v457
  %v459 = fcmp ord double %v458, 0.000000e+00
  %v460 = fcmp oeq double %v406, 1.000000e+00
  %v461 = bitcast double %v406 to i64
  %v462 = icmp slt i64 %v461, 0
  %v463 = and i1 %v462, %v244
  %v464 = fcmp olt double %v406, 0.000000e+00
  %v465 = and i1 %v464, %v213
  %v466 = and i1 %v444, %v465
  %v467 = fcmp oeq double %v406, 0.000000e+00
  %v468 = fcmp olt double %v443, 0x10000000000000
  %v469 = fmul double %v443, 0x4340000000000000
  %v470 = select i1 %v468, double %v469, double %v443
  %v471 = bitcast double %v470 to i64
  %v472 = add i64 %v471, 2638147582215219
  %v473 = lshr i64 %v472, 52
  %v474 = or disjoint i64 %v473, 4841369599423283200
  %v475 = bitcast i64 %v474 to double
  %v476 = fadd double %v475, 0xC330000000000000
  %v477 = select i1 %v468, double 1.076000e+03, double 1.023000e+03
  %v478 = fsub double %v476, %v477
  %v479 = fmul double %v478, 0x3FE62E42FEFA4000
  %v480 = and i64 %v472, 4503599627370495
  %v481 = add nuw nsw i64 %v480, 4604544271217802189
  %v482 = bitcast i64 %v481 to double
  %v483 = fadd double %v482, -1.000000e+00
  %v484 = fadd double %v483, 2.000000e+00
  %v485 = fdiv double 1.000000e+00, %v484
  %v486 = fmul double %v483, %v485
  %v487 = fmul double %v486, %v486
  %v488 = fmul double %v486, %v487
  %v489 = tail call double @llvm.fma.f64(double %v487, double 0x3FB0E48C86029D98, double 0x3FB0F7F491D7840F)
  %v490 = tail call double @llvm.fma.f64(double %v489, double %v487, double 0x3FB3B1EF291B286B)
  %v491 = tail call double @llvm.fma.f64(double %v490, double %v487, double 0x3FB745CE9C13DB3B)
  %v492 = tail call double @llvm.fma.f64(double %v491, double %v487, double 0x3FBC71C722DC3A56)
  %v493 = tail call double @llvm.fma.f64(double %v492, double %v487, double 0x3FC2492492457977)
  %v494 = tail call double @llvm.fma.f64(double %v493, double %v487, double 0x3FC9999999999B32)
  %v495 = fmul double %v487, %v494
  %v496 = fadd double %v495, 0x3FD5555555555555
  %v497 = fmul double %v488, %v496
  %v498 = fadd double %v486, %v497
  %v499 = fmul double %v498, 2.000000e+00
  %v500 = fadd double %v479, %v499
  %v501 = select i1 %v444, double %v500, double %v443
  %v502 = select i1 %v467, double 0xFFF0000000000000, double %v501
  %v503 = fmul double %v502, %v207
  %v504 = fcmp olt double %v503, -7.460000e+02
  %v505 = fcmp ogt double %v503, 7.105000e+02
  %v506 = or i1 %v504, %v505
  %v507 = fsub double %v479, %v500
  %v508 = fadd double %v499, %v507
  %v509 = fsub double %v486, %v498
  %v510 = fadd double %v497, %v509
  %v511 = fneg double %v486
  %v512 = fadd double %v484, -2.000000e+00
  %v513 = fsub double %v483, %v512
  %v514 = tail call double @llvm.fma.f64(double %v511, double %v484, double %v483)
  %v515 = tail call double @llvm.fma.f64(double %v511, double %v513, double %v514)
  %v516 = fmul double %v485, %v515
  %v517 = fsub double 0x3FD5555555555555, %v496
  %v518 = fadd double %v495, %v517
  %v519 = fadd double %v518, 0x3C75555555555555
  %v520 = fmul double %v486, 2.000000e+00
  %v521 = fneg double %v487
  %v522 = tail call double @llvm.fma.f64(double %v486, double %v486, double %v521)
  %v523 = tail call double @llvm.fma.f64(double %v520, double %v516, double %v522)
  %v524 = fneg double %v488
  %v525 = tail call double @llvm.fma.f64(double %v486, double %v487, double %v524)
  %v526 = tail call double @llvm.fma.f64(double %v516, double %v487, double %v525)
  %v527 = tail call double @llvm.fma.f64(double %v486, double %v523, double %v526)
  %v528 = fneg double %v497
  %v529 = tail call double @llvm.fma.f64(double %v488, double %v496, double %v528)
  %v530 = tail call double @llvm.fma.f64(double %v527, double %v496, double %v529)
  %v531 = tail call double @llvm.fma.f64(double %v488, double %v519, double %v530)
  %v532 = fadd double %v516, %v531
  %v533 = fadd double %v510, %v532
  %v534 = fmul double %v533, 2.000000e+00
  %v535 = tail call double @llvm.fma.f64(double %v478, double 0xBD48432A1B0E2634, double %v534)
  %v536 = fadd double %v508, %v535
  %v537 = fneg double %v503
  %v538 = tail call double @llvm.fma.f64(double %v207, double %v502, double %v537)
  %v539 = tail call double @llvm.fma.f64(double %v207, double %v536, double %v538)
  %v540 = select i1 %v506, double 0.000000e+00, double %v539
  %v541 = select i1 %v505, double 7.105000e+02, double %v503
  %v542 = select i1 %v504, double -7.460000e+02, double %v541
  %v543 = tail call double @llvm.fma.f64(double %v542, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v544 = fadd double %v543, 0xC338000000000000
  %v545 = fneg double %v544
  %v546 = tail call double @llvm.fma.f64(double %v545, double 0x3FE62E42FEFA4000, double %v542)
  %v547 = tail call double @llvm.fma.f64(double %v545, double 0xBD48432A1B0E2634, double %v546)
  %v548 = fmul double %v547, %v547
  %v549 = tail call double @llvm.fma.f64(double %v547, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v550 = tail call double @llvm.fma.f64(double %v549, double %v547, double 0x3E927E4DB81FC5C4)
  %v551 = tail call double @llvm.fma.f64(double %v550, double %v547, double 0x3EC71DDED4DF15D0)
  %v552 = tail call double @llvm.fma.f64(double %v551, double %v547, double 0x3EFA01A01A70E1D0)
  %v553 = tail call double @llvm.fma.f64(double %v552, double %v547, double 0x3F2A01A01B4A1A68)
  %v554 = tail call double @llvm.fma.f64(double %v553, double %v547, double 0x3F56C16C16C1618C)
  %v555 = tail call double @llvm.fma.f64(double %v554, double %v547, double 0x3F8111111110E966)
  %v556 = tail call double @llvm.fma.f64(double %v555, double %v547, double 0x3FA5555555555556)
  %v557 = tail call double @llvm.fma.f64(double %v556, double %v547, double 0x3FC555555555555C)
  %v558 = tail call double @llvm.fma.f64(double %v557, double %v547, double 5.000000e-01)
  %v559 = tail call double @llvm.fma.f64(double %v548, double %v558, double %v547)
  %v560 = fadd double %v559, 1.000000e+00
  %v561 = tail call double @llvm.fma.f64(double %v540, double %v560, double %v559)
  %v562 = fadd double %v561, 1.000000e+00
  %v563 = bitcast double %v543 to i64
  %v564 = add i64 %v563, -4843621399236967424
  %v565 = lshr i64 %v564, 1
  %v566 = shl i64 %v565, 52
  %v567 = add i64 %v566, 2301339409586323456
  %v568 = bitcast i64 %v567 to double
  %v569 = fmul double %v562, %v568
  %v570 = sub i64 %v564, %v565
  %v571 = shl i64 %v570, 52
  %v572 = add i64 %v571, 2301339409586323456
  %v573 = bitcast i64 %v572 to double
  %v574 = fmul double %v569, %v573
  %v575 = select i1 %v466, double 0x7FF8000000000000, double %v574
  %v576 = fneg double %v575
  %v577 = select i1 %v463, double %v576, double %v575
  %v578 = select i1 %v460, double 1.000000e+00, double %v577
  %v579 = select i1 %v459, double %v458, double %v578
  %v580 = fmul double %v442, %v579
  %v581 = fadd double %v407, %v580
  %v582 = fmul double %v254, %v581
  %v248 = fadd double %v247, %v582
  %v246 = fadd double %v245, 1.000000e+00
  %v583 = fcmp olt double %v246, %v159
  br i1 %v583, label %b17, label %b26
b28:
  %v584 = phi float [ 0x7FF8000000000000, %b10 ], [ 0x7FF8000000000000, %b11 ], [ %v405, %b26 ], [ %v142, %b13 ], [ %v125, %b9 ], [ %v19, %b7 ], [ 0x7FF8000000000000, %b4 ]
  ret float %v584
}

define internal double @m_polygamma_float64(double %x, double %y) nounwind {
b1:
  %v1 = fcmp oeq double %x, 0.000000e+00
  br i1 %v1, label %b2, label %b10
b2:
  %v2 = fcmp oeq double %y, 0.000000e+00
  br i1 %v2, label %b7, label %b3
b3:
  %v3 = fcmp olt double %y, 0.000000e+00
  br i1 %v3, label %b4, label %b5
b4:
  %v4 = tail call double @llvm.floor.f64(double %y)
  %v5 = fcmp oeq double %y, %v4
  br i1 %v5, label %b28, label %b8
b5:
  %v6 = phi double [ %v7, %b8 ], [ %y, %b3 ]
  %v8 = phi double [ %v9, %b8 ], [ 0.000000e+00, %b3 ]
  %v10 = fcmp olt double %v6, 1.000000e+01
  br i1 %v10, label %b6, label %b9
b6:
  %v11 = phi double [ %v12, %b6 ], [ %v6, %b5 ]
  %v13 = phi double [ %v14, %b6 ], [ %v8, %b5 ]
  %v15 = fdiv double 1.000000e+00, %v11
  %v14 = fsub double %v13, %v15
  %v12 = fadd double %v11, 1.000000e+00
  %v16 = fcmp olt double %v12, 1.000000e+01
  br i1 %v16, label %b6, label %b9
b7:
  %v17 = fdiv double -1.000000e+00, %y
  br label %b28
b8:
  %v18 = tail call double @llvm.roundeven.f64(double %y)
  %v19 = fsub double %y, %v18
  %v20 = fmul double %v19, 0x400921FB54442D18
  %v21 = tail call double @llvm.fma.f64(double %v20, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v22 = fadd double %v21, 0xC338000000000000
  %v23 = fneg double %v22
  %v24 = tail call double @llvm.fma.f64(double %v23, double 0x3FF921FB54442D18, double %v20)
  %v25 = fmul double %v22, 0x3C91A62633145C07
  %v26 = fsub double %v24, %v25
  %v27 = fsub double %v26, %v24
  %v28 = fsub double %v26, %v27
  %v29 = fsub double %v24, %v28
  %v30 = fadd double %v25, %v27
  %v31 = fsub double %v29, %v30
  %v32 = fneg double %v25
  %v33 = tail call double @llvm.fma.f64(double %v22, double 0x3C91A62633145C07, double %v32)
  %v34 = fsub double %v31, %v33
  %v35 = tail call double @llvm.fma.f64(double %v23, double 0xB91F1976B7ED9000, double %v34)
  %v36 = bitcast double %v21 to i64
  %v37 = fmul double %v26, %v26
  %v38 = fmul double %v26, %v37
  %v39 = tail call double @llvm.fma.f64(double %v37, double 0x3EE5759299B92C5A, double 0xBEFB7F7AA114A3CF)
  %v40 = tail call double @llvm.fma.f64(double %v39, double %v37, double 0x3F0B909B210979E0)
  %v41 = tail call double @llvm.fma.f64(double %v40, double %v37, double 0xBEFFD44B7EFC6BDB)
  %v42 = tail call double @llvm.fma.f64(double %v41, double %v37, double 0x3F1299A9B3083AC9)
  %v43 = tail call double @llvm.fma.f64(double %v42, double %v37, double 0x3F155E07901CAB29)
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v37, double 0x3F3006E60E1DB54F)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v37, double 0x3F4349DEBFE3976F)
  %v46 = tail call double @llvm.fma.f64(double %v45, double %v37, double 0x3F57DB49588EA3CA)
  %v47 = tail call double @llvm.fma.f64(double %v46, double %v37, double 0x3F6D6D2B11FC2E19)
  %v48 = tail call double @llvm.fma.f64(double %v47, double %v37, double 0x3F8226E3BD065FDF)
  %v49 = tail call double @llvm.fma.f64(double %v48, double %v37, double 0x3F9664F4852C1407)
  %v50 = tail call double @llvm.fma.f64(double %v49, double %v37, double 0x3FABA1BA1BAF01E9)
  %v51 = tail call double @llvm.fma.f64(double %v50, double %v37, double 0x3FC111111111022F)
  %v52 = tail call double @llvm.fma.f64(double %v51, double %v37, double 0x3FD5555555555561)
  %v53 = fmul double %v38, %v52
  %v54 = fadd double %v26, %v53
  %v55 = tail call double @llvm.fma.f64(double %v54, double %v54, double 1.000000e+00)
  %v56 = fsub double %v54, %v26
  %v57 = fsub double %v53, %v56
  %v58 = tail call double @llvm.fma.f64(double %v35, double %v55, double %v57)
  %v59 = fdiv double -1.000000e+00, %v54
  %v60 = tail call double @llvm.fma.f64(double %v59, double %v54, double 1.000000e+00)
  %v61 = tail call double @llvm.fma.f64(double %v59, double %v58, double %v60)
  %v62 = tail call double @llvm.fma.f64(double %v59, double %v61, double %v59)
  %v63 = and i64 %v36, 1
  %v64 = icmp eq i64 %v63, 0
  %v65 = fadd double %v54, %v58
  %v66 = select i1 %v64, double %v65, double %v62
  %v67 = fcmp oeq double %v20, 0.000000e+00
  %v68 = select i1 %v67, double %v20, double %v66
  %v9 = fdiv double 0xC00921FB54442D18, %v68
  %v7 = fsub double 1.000000e+00, %y
  br label %b5
b9:
  %v69 = phi double [ %v6, %b5 ], [ %v12, %b6 ]
  %v70 = phi double [ %v8, %b5 ], [ %v14, %b6 ]
  %v71 = fcmp olt double %v69, 0x10000000000000
  %v72 = fmul double %v69, 0x4340000000000000
  %v73 = select i1 %v71, double %v72, double %v69
  %v74 = bitcast double %v73 to i64
  %v75 = add i64 %v74, 2638147582215219
  %v76 = lshr i64 %v75, 52
  %v77 = or disjoint i64 %v76, 4841369599423283200
  %v78 = bitcast i64 %v77 to double
  %v79 = fadd double %v78, 0xC330000000000000
  %v80 = and i64 %v75, 4503599627370495
  %v81 = add nuw nsw i64 %v80, 4604544271217802189
  %v82 = bitcast i64 %v81 to double
  %v83 = fadd double %v82, -1.000000e+00
  %v84 = select i1 %v71, double 1.076000e+03, double 1.023000e+03
  %v85 = fsub double %v79, %v84
  %v86 = fmul double %v83, %v83
  %v87 = fmul double %v86, 5.000000e-01
  %v88 = fadd double %v83, 2.000000e+00
  %v89 = fdiv double %v83, %v88
  %v90 = fmul double %v89, %v89
  %v91 = tail call double @llvm.fma.f64(double %v90, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v92 = tail call double @llvm.fma.f64(double %v91, double %v90, double 0x3FC74664A41971F1)
  %v93 = tail call double @llvm.fma.f64(double %v92, double %v90, double 0x3FCC71C51D57B847)
  %v94 = tail call double @llvm.fma.f64(double %v93, double %v90, double 0x3FD249249422C781)
  %v95 = tail call double @llvm.fma.f64(double %v94, double %v90, double 0x3FD999999997F9E0)
  %v96 = tail call double @llvm.fma.f64(double %v95, double %v90, double 0x3FE5555555555593)
  %v97 = tail call double @llvm.fma.f64(double %v90, double %v96, double %v87)
  %v98 = fmul double %v85, 0xBD48432A1B0E2634
  %v99 = tail call double @llvm.fma.f64(double %v89, double %v97, double %v98)
  %v100 = fsub double %v99, %v87
  %v101 = fadd double %v83, %v100
  %v102 = tail call double @llvm.fma.f64(double %v85, double 0x3FE62E42FEFA4000, double %v101)
  %v103 = fcmp one double %v69, 0x7FF0000000000000
  %v104 = select i1 %v103, double %v102, double %v69
  %v105 = fcmp olt double %v69, 0.000000e+00
  %v106 = select i1 %v105, double 0x7FF8000000000000, double %v104
  %v107 = fcmp oeq double %v69, 0.000000e+00
  %v108 = select i1 %v107, double 0xFFF0000000000000, double %v106
  %v109 = fmul double %v69, %v69
  %v110 = fdiv double 1.000000e+00, %v109
  %v111 = fdiv double 5.000000e-01, %v69
  %v112 = fsub double %v108, %v111
  %v113 = tail call double @llvm.fma.f64(double %v110, double 0xBFDC5E5E5E5E5E5E, double 0x3FB5555555555556)
  %v114 = tail call double @llvm.fma.f64(double %v113, double %v110, double 0xBF95995995995995)
  %v115 = tail call double @llvm.fma.f64(double %v114, double %v110, double 0x3F7F07C1F07C1F08)
  %v116 = tail call double @llvm.fma.f64(double %v115, double %v110, double 0xBF71111111111111)
  %v117 = tail call double @llvm.fma.f64(double %v116, double %v110, double 0x3F70410410410410)
  %v118 = tail call double @llvm.fma.f64(double %v117, double %v110, double 0xBF81111111111111)
  %v119 = tail call double @llvm.fma.f64(double %v118, double %v110, double 0x3FB5555555555555)
  %v120 = fmul double %v110, %v119
  %v121 = fsub double %v112, %v120
  %v122 = fadd double %v70, %v121
  br label %b28
b10:
  %v123 = fcmp ogt double %x, 0.000000e+00
  br i1 %v123, label %b11, label %b28
b11:
  %v124 = fcmp ugt double %x, 1.700000e+02
  %v125 = tail call double @llvm.floor.f64(double %x)
  %v126 = fcmp une double %x, %v125
  %v127 = or i1 %v124, %v126
  %v128 = fcmp ueq double %y, 0xFFF0000000000000
  %v129 = select i1 %v127, i1 true, i1 %v128
  br i1 %v129, label %b28, label %b12
b12:
  %v130 = fmul double %x, 5.000000e-01
  %v131 = tail call double @llvm.floor.f64(double %v130)
  %v132 = fmul double %v131, 2.000000e+00
  %v133 = fcmp une double %x, %v132
  %v134 = fcmp ole double %y, 0.000000e+00
  %v135 = tail call double @llvm.floor.f64(double %y)
  %v136 = fcmp oeq double %y, %v135
  %v137 = and i1 %v134, %v136
  br i1 %v137, label %b13, label %b14
b13:
  %v138 = select i1 %v133, double 0x7FF0000000000000, double 0x7FF8000000000000
  br label %b28
b14:
  %v139 = fcmp ult double %x, 1.000000e+00
  br i1 %v139, label %b16, label %b15
b15:
  %v140 = phi double [ %v141, %b15 ], [ 1.000000e+00, %b14 ]
  %v142 = phi double [ %v143, %b15 ], [ 1.000000e+00, %b14 ]
  %v141 = fmul double %v140, %v142
  %v143 = fadd double %v142, 1.000000e+00
  %v144 = fcmp ugt double %v143, %x
  br i1 %v144, label %b16, label %b15
b16:
  %v145 = phi double [ 1.000000e+00, %b14 ], [ %v141, %b15 ]
  %v146 = select i1 %v133, double 1.000000e+00, double -1.000000e+00
  %v147 = tail call double @llvm.roundeven.f64(double %y)
  %v148 = fsub double %y, %v147
  %v149 = tail call double @llvm.fabs.f64(double %v148)
  %v150 = fsub double 1.000000e+00, %v149
  %v151 = fcmp ogt double %y, %v147
  %v152 = select i1 %v151, double %v150, double %v149
  %v153 = select i1 %v151, double %v149, double %v150
  %v154 = fcmp ogt double %y, 0.000000e+00
  %v155 = select i1 %v154, double 1.000000e+00, double 3.000000e+00
  %v156 = fadd double %x, 1.200000e+01
  %v157 = fdiv double 1.000000e+00, %x
  %v158 = fadd double %x, 1.000000e+00
  %v159 = fmul double %v158, 5.000000e-01
  %v160 = fadd double %x, 2.000000e+00
  %v161 = fadd double %v160, 1.000000e+00
  %v162 = fmul double %v160, %v161
  %v163 = fdiv double %v162, 1.200000e+01
  %v164 = fadd double %x, 4.000000e+00
  %v165 = fadd double %v164, 1.000000e+00
  %v166 = fmul double %v164, %v165
  %v167 = fdiv double %v166, 3.000000e+01
  %v168 = fadd double %x, 6.000000e+00
  %v169 = fadd double %v168, 1.000000e+00
  %v170 = fmul double %v168, %v169
  %v171 = fdiv double %v170, 5.600000e+01
  %v172 = fadd double %x, 8.000000e+00
  %v173 = fadd double %v172, 1.000000e+00
  %v174 = fmul double %v172, %v173
  %v175 = fdiv double %v174, 9.000000e+01
  %v176 = fadd double %x, 1.000000e+01
  %v177 = fadd double %v176, 1.000000e+00
  %v178 = fmul double %v176, %v177
  %v179 = fdiv double %v178, 1.320000e+02
  %v180 = fadd double %v156, 1.000000e+00
  %v181 = fmul double %v156, %v180
  %v182 = fdiv double %v181, 1.820000e+02
  %v183 = fadd double %x, 1.400000e+01
  %v184 = fadd double %v183, 1.000000e+00
  %v185 = fmul double %v183, %v184
  %v186 = fdiv double %v185, 2.400000e+02
  %v187 = fcmp ole double %x, 8.000000e+00
  %v188 = tail call double @llvm.trunc.f64(double %x)
  %v189 = fcmp oeq double %x, %v188
  %v190 = and i1 %v187, %v189
  %v191 = fcmp oeq double %x, 8.000000e+00
  %v192 = tail call double @llvm.trunc.f64(double %v130)
  %v193 = fmul double %v192, 5.000000e-01
  %v194 = tail call double @llvm.trunc.f64(double %v193)
  %v195 = fmul double %v194, 5.000000e-01
  %v196 = tail call double @llvm.trunc.f64(double %v195)
  %v197 = fadd double %v196, %v196
  %v198 = fcmp une double %v194, %v197
  %v199 = fadd double %v194, %v194
  %v200 = fcmp une double %v192, %v199
  %v201 = fadd double %v192, %v192
  %v202 = fcmp une double %x, %v201
  %v203 = fneg double %x
  %v204 = tail call double @llvm.trunc.f64(double %v203)
  %v205 = fcmp oeq double %v204, %v203
  %v206 = fmul double %x, -5.000000e-01
  %v207 = tail call double @llvm.trunc.f64(double %v206)
  %v208 = fcmp une double %v207, %v206
  %v209 = xor i1 %v205, true
  %v210 = fsub double 1.000000e+00, %y
  %v211 = fneg double %v146
  %v212 = fsub double -1.000000e+00, %x
  %v213 = tail call double @llvm.fabs.f64(double %v212)
  %v214 = fmul double %v213, 5.000000e-01
  %v215 = tail call double @llvm.trunc.f64(double %v214)
  %v216 = fmul double %v215, 5.000000e-01
  %v217 = tail call double @llvm.trunc.f64(double %v216)
  %v218 = fmul double %v217, 5.000000e-01
  %v219 = tail call double @llvm.trunc.f64(double %v218)
  %v220 = fadd double %v215, %v215
  %v221 = fadd double %v217, %v217
  %v222 = fadd double %v219, %v219
  %v223 = tail call double @llvm.trunc.f64(double %v213)
  %v224 = fcmp oeq double %v213, %v223
  %v225 = fcmp ole double %v213, 8.000000e+00
  %v226 = and i1 %v225, %v224
  %v227 = fmul double %v212, 5.000000e-01
  %v228 = tail call double @llvm.trunc.f64(double %v227)
  %v229 = fcmp une double %v228, %v227
  %v230 = tail call double @llvm.trunc.f64(double %v212)
  %v231 = fcmp oeq double %v230, %v212
  %v232 = xor i1 %v231, true
  %v233 = fcmp oeq double %v213, 0x7FF0000000000000
  %v234 = fcmp olt double %v212, 0.000000e+00
  %v235 = fcmp oeq double %v213, 8.000000e+00
  %v236 = fcmp une double %v217, %v222
  %v237 = fcmp une double %v215, %v221
  %v238 = fcmp une double %v213, %v220
  %v239 = and i1 %v229, %v231
  %v240 = and i1 %v208, %v205
  br label %b17
b17:
  %v241 = phi double [ 0.000000e+00, %b16 ], [ %v242, %b27 ]
  %v243 = phi double [ 0.000000e+00, %b16 ], [ %v244, %b27 ]
  br i1 %v154, label %b21, label %b18
b18:
  %v245 = fcmp oeq double %v241, 0.000000e+00
  br i1 %v245, label %b21, label %b19
b19:
  %v246 = fcmp oeq double %v241, 1.000000e+00
  br i1 %v246, label %b21, label %b20
b20:
  br label %b21
b21:
  %v247 = phi double [ %v210, %b20 ], [ %y, %b17 ], [ %v153, %b18 ], [ %v152, %b19 ]
  %v248 = fcmp oeq double %v241, 0.000000e+00
  br i1 %v248, label %b24, label %b22
b22:
  %v249 = fcmp oeq double %v241, 1.000000e+00
  br i1 %v249, label %b24, label %b23
b23:
  br label %b24
b24:
  %v250 = phi double [ %v211, %b23 ], [ 1.000000e+00, %b21 ], [ %v146, %b22 ]
  %v251 = fcmp olt double %v247, %v156
  br i1 %v251, label %b25, label %b27
b25:
  %v252 = phi double [ %v253, %b25 ], [ %v247, %b24 ]
  %v254 = phi double [ %v255, %b25 ], [ 0.000000e+00, %b24 ]
  %v256 = fmul double %v252, %v252
  %v257 = fmul double %v256, %v256
  %v258 = select i1 %v238, double %v252, double 1.000000e+00
  %v259 = fmul double %v256, %v258
  %v260 = select i1 %v237, double %v259, double %v258
  %v261 = fmul double %v257, %v260
  %v262 = select i1 %v236, double %v261, double %v260
  %v263 = fmul double %v257, %v257
  %v264 = select i1 %v235, double %v263, double %v262
  %v265 = select i1 %v226, double %v264, double 0x7FF8000000000000
  %v266 = tail call double @llvm.fabs.f64(double %v265)
  %v267 = fcmp oeq double %v266, 0x7FF0000000000000
  %v268 = tail call double @llvm.fabs.f64(double %v252)
  %v269 = fcmp one double %v268, 0x7FF0000000000000
  %v270 = and i1 %v269, %v267
  %v271 = fdiv double 1.000000e+00, %v265
  %v272 = select i1 %v270, double 0x7FF8000000000000, double %v271
  %v273 = select i1 %v234, double %v272, double %v265
  %v274 = fcmp oeq double %v252, 0.000000e+00
  %v275 = fcmp olt double %v268, 0x10000000000000
  %v276 = fmul double %v268, 0x4340000000000000
  %v277 = select i1 %v275, double %v276, double %v268
  %v278 = bitcast double %v277 to i64
  %v279 = add i64 %v278, 2638147582215219
  %v280 = lshr i64 %v279, 52
  %v281 = or disjoint i64 %v280, 4841369599423283200
  %v282 = bitcast i64 %v281 to double
  %v283 = fadd double %v282, 0xC330000000000000
  %v284 = select i1 %v275, double 1.076000e+03, double 1.023000e+03
  %v285 = fsub double %v283, %v284
  %v286 = fmul double %v285, 0x3FE62E42FEFA4000
  %v287 = and i64 %v279, 4503599627370495
  %v288 = add nuw nsw i64 %v287, 4604544271217802189
  %v289 = bitcast i64 %v288 to double
  %v290 = fadd double %v289, -1.000000e+00
  %v291 = fadd double %v290, 2.000000e+00
  %v292 = fdiv double 1.000000e+00, %v291
  %v293 = fmul double %v290, %v292
  %v294 = fmul double %v293, %v293
  %v295 = fmul double %v293, %v294
  %v296 = tail call double @llvm.fma.f64(double %v294, double 0x3FB0E48C86029D98, double 0x3FB0F7F491D7840F)
  %v297 = tail call double @llvm.fma.f64(double %v296, double %v294, double 0x3FB3B1EF291B286B)
  %v298 = tail call double @llvm.fma.f64(double %v297, double %v294, double 0x3FB745CE9C13DB3B)
  %v299 = tail call double @llvm.fma.f64(double %v298, double %v294, double 0x3FBC71C722DC3A56)
  %v300 = tail call double @llvm.fma.f64(double %v299, double %v294, double 0x3FC2492492457977)
  %v301 = tail call double @llvm.fma.f64(double %v300, double %v294, double 0x3FC9999999999B32)
  %v302 = fmul double %v294, %v301
  %v303 = fadd double %v302, 0x3FD5555555555555
  %v304 = fmul double %v295, %v303
  %v305 = fadd double %v293, %v304
  %v306 = fmul double %v305, 2.000000e+00
  %v307 = fadd double %v286, %v306
  %v308 = select i1 %v269, double %v307, double %v268
  %v309 = select i1 %v274, double 0xFFF0000000000000, double %v308
  %v310 = fmul double %v212, %v309
  %v311 = fcmp olt double %v310, -7.460000e+02
  %v312 = fcmp ogt double %v310, 7.105000e+02
  %v313 = select i1 %v312, double 7.105000e+02, double %v310
  %v314 = select i1 %v311, double -7.460000e+02, double %v313
  %v315 = or i1 %v311, %v312
  %v316 = fsub double %v286, %v307
  %v317 = fadd double %v306, %v316
  %v318 = fsub double %v293, %v305
  %v319 = fadd double %v304, %v318
  %v320 = fneg double %v293
  %v321 = fadd double %v291, -2.000000e+00
  %v322 = fsub double %v290, %v321
  %v323 = tail call double @llvm.fma.f64(double %v320, double %v291, double %v290)
  %v324 = tail call double @llvm.fma.f64(double %v320, double %v322, double %v323)
  %v325 = fmul double %v292, %v324
  %v326 = fsub double 0x3FD5555555555555, %v303
  %v327 = fadd double %v302, %v326
  %v328 = fadd double %v327, 0x3C75555555555555
  %v329 = fmul double %v293, 2.000000e+00
  %v330 = fneg double %v294
  %v331 = tail call double @llvm.fma.f64(double %v293, double %v293, double %v330)
  %v332 = tail call double @llvm.fma.f64(double %v329, double %v325, double %v331)
  %v333 = fneg double %v295
  %v334 = tail call double @llvm.fma.f64(double %v293, double %v294, double %v333)
  %v335 = tail call double @llvm.fma.f64(double %v325, double %v294, double %v334)
  %v336 = tail call double @llvm.fma.f64(double %v293, double %v332, double %v335)
  %v337 = fneg double %v304
  %v338 = tail call double @llvm.fma.f64(double %v295, double %v303, double %v337)
  %v339 = tail call double @llvm.fma.f64(double %v336, double %v303, double %v338)
  %v340 = tail call double @llvm.fma.f64(double %v295, double %v328, double %v339)
  %v341 = fadd double %v325, %v340
  %v342 = fadd double %v319, %v341
  %v343 = fmul double %v342, 2.000000e+00
  %v344 = tail call double @llvm.fma.f64(double %v285, double 0xBD48432A1B0E2634, double %v343)
  %v345 = fadd double %v317, %v344
  %v346 = fneg double %v310
  %v347 = tail call double @llvm.fma.f64(double %v212, double %v309, double %v346)
  %v348 = tail call double @llvm.fma.f64(double %v212, double %v345, double %v347)
  %v349 = select i1 %v315, double 0.000000e+00, double %v348
  %v350 = fcmp oeq double %v252, 1.000000e+00
  %v351 = fcmp oeq double %v268, 1.000000e+00
  %v352 = and i1 %v233, %v351
  %v353 = or i1 %v350, %v352
  %v354 = bitcast double %v252 to i64
  %v355 = icmp slt i64 %v354, 0
  %v356 = and i1 %v355, %v239
  %v357 = fcmp olt double %v252, 0.000000e+00
  %v358 = and i1 %v357, %v232
  %v359 = and i1 %v269, %v358
  %v360 = tail call double @llvm.fma.f64(double %v314, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v361 = fadd double %v360, 0xC338000000000000
  %v362 = fneg double %v361
  %v363 = tail call double @llvm.fma.f64(double %v362, double 0x3FE62E42FEFA4000, double %v314)
  %v364 = tail call double @llvm.fma.f64(double %v362, double 0xBD48432A1B0E2634, double %v363)
  %v365 = fmul double %v364, %v364
  %v366 = tail call double @llvm.fma.f64(double %v364, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v367 = tail call double @llvm.fma.f64(double %v366, double %v364, double 0x3E927E4DB81FC5C4)
  %v368 = tail call double @llvm.fma.f64(double %v367, double %v364, double 0x3EC71DDED4DF15D0)
  %v369 = tail call double @llvm.fma.f64(double %v368, double %v364, double 0x3EFA01A01A70E1D0)
  %v370 = tail call double @llvm.fma.f64(double %v369, double %v364, double 0x3F2A01A01B4A1A68)
  %v371 = tail call double @llvm.fma.f64(double %v370, double %v364, double 0x3F56C16C16C1618C)
  %v372 = tail call double @llvm.fma.f64(double %v371, double %v364, double 0x3F8111111110E966)
  %v373 = tail call double @llvm.fma.f64(double %v372, double %v364, double 0x3FA5555555555556)
  %v374 = tail call double @llvm.fma.f64(double %v373, double %v364, double 0x3FC555555555555C)
  %v375 = tail call double @llvm.fma.f64(double %v374, double %v364, double 5.000000e-01)
  %v376 = tail call double @llvm.fma.f64(double %v365, double %v375, double %v364)
  %v377 = fadd double %v376, 1.000000e+00
  %v378 = tail call double @llvm.fma.f64(double %v349, double %v377, double %v376)
  %v379 = fadd double %v378, 1.000000e+00
  %v380 = bitcast double %v360 to i64
  %v381 = add i64 %v380, -4843621399236967424
  %v382 = lshr i64 %v381, 1
  %v383 = shl i64 %v382, 52
  %v384 = add i64 %v383, 2301339409586323456
  %v385 = bitcast i64 %v384 to double
  %v386 = fmul double %v379, %v385
  %v387 = sub i64 %v381, %v382
  %v388 = shl i64 %v387, 52
  %v389 = add i64 %v388, 2301339409586323456
  %v390 = bitcast i64 %v389 to double
  %v391 = fmul double %v386, %v390
  %v392 = select i1 %v359, double 0x7FF8000000000000, double %v391
  %v393 = fneg double %v392
  %v394 = select i1 %v356, double %v393, double %v392
  %v395 = select i1 %v353, double 1.000000e+00, double %v394
  %v396 = fcmp ord double %v273, 0.000000e+00
  %v397 = select i1 %v396, double %v273, double %v395
  %v255 = fadd double %v254, %v397
  %v253 = fadd double %v252, 1.000000e+00
  %v398 = fcmp olt double %v253, %v156
  br i1 %v398, label %b25, label %b27
b26:
  %v399 = fmul double %v146, %v145
  %v400 = fmul double %v399, %v244
  br label %b28
b27:
  %v401 = phi double [ %v247, %b24 ], [ %v253, %b25 ]
  %v402 = phi double [ 0.000000e+00, %b24 ], [ %v255, %b25 ]
  %v403 = fdiv double 5.000000e-01, %v401
  %v404 = fadd double %v157, %v403
  %v405 = fmul double %v401, %v401
  %v406 = fdiv double 1.000000e+00, %v405
  %v407 = fmul double %v159, %v406
  %v408 = fmul double %v407, 0x3FC5555555555555
  %v409 = fadd double %v404, %v408
  %v410 = fmul double %v163, %v406
  %v411 = fmul double %v407, %v410
  %v412 = fmul double %v411, 0x3FA1111111111111
  %v413 = fsub double %v409, %v412
  %v414 = fmul double %v167, %v406
  %v415 = fmul double %v414, %v411
  %v416 = fmul double %v415, 0x3F98618618618618
  %v417 = fadd double %v413, %v416
  %v418 = fmul double %v171, %v406
  %v419 = fmul double %v418, %v415
  %v420 = fmul double %v419, 0x3FA1111111111111
  %v421 = fsub double %v417, %v420
  %v422 = fmul double %v175, %v406
  %v423 = fmul double %v422, %v419
  %v424 = fmul double %v423, 0x3FB364D9364D9365
  %v425 = fadd double %v421, %v424
  %v426 = fmul double %v179, %v406
  %v427 = fmul double %v426, %v423
  %v428 = fmul double %v427, 0x3FD0330330330330
  %v429 = fsub double %v425, %v428
  %v430 = fmul double %v182, %v406
  %v431 = fmul double %v430, %v427
  %v432 = fmul double %v431, 0x3FF2AAAAAAAAAAAB
  %v433 = fadd double %v429, %v432
  %v434 = fmul double %v186, %v406
  %v435 = fmul double %v434, %v431
  %v436 = fmul double %v435, 0x401C5E5E5E5E5E5E
  %v437 = fsub double %v433, %v436
  %v438 = tail call double @llvm.fabs.f64(double %v401)
  %v439 = fcmp one double %v438, 0x7FF0000000000000
  %v440 = fmul double %v405, %v405
  %v441 = fmul double %v440, %v440
  %v442 = select i1 %v202, double %v401, double 1.000000e+00
  %v443 = fmul double %v405, %v442
  %v444 = select i1 %v200, double %v443, double %v442
  %v445 = fmul double %v440, %v444
  %v446 = select i1 %v198, double %v445, double %v444
  %v447 = select i1 %v191, double %v441, double %v446
  %v448 = select i1 %v190, double %v447, double 0x7FF8000000000000
  %v449 = tail call double @llvm.fabs.f64(double %v448)
  %v450 = fcmp oeq double %v449, 0x7FF0000000000000
  %v451 = and i1 %v439, %v450
  %v452 = fdiv double 1.000000e+00, %v448
  %v453 = select i1 %v451, double 0x7FF8000000000000, double %v452
  %v454 = fcmp ord double %v453, 0.000000e+00
  %v455 = fcmp oeq double %v401, 1.000000e+00
  %v456 = bitcast double %v401 to i64
  %v457 = icmp slt i64 %v456, 0
  %v458 = and i1 %v457, %v240
  %v459 = fcmp olt double %v401, 0.000000e+00
  %v460 = and i1 %v459, %v209
  %v461 = and i1 %v439, %v460
  %v462 = fcmp oeq double %v401, 0.000000e+00
  %v463 = fcmp olt double %v438, 0x10000000000000
  %v464 = fmul double %v438, 0x4340000000000000
  %v465 = select i1 %v463, double %v464, double %v438
  %v466 = bitcast double %v465 to i64
  %v467 = add i64 %v466, 2638147582215219
  %v468 = lshr i64 %v467, 52
  %v469 = or disjoint i64 %v468, 4841369599423283200
  %v470 = bitcast i64 %v469 to double
  %v471 = fadd double %v470, 0xC330000000000000
  %v472 = select i1 %v463, double 1.076000e+03, double 1.023000e+03
  %v473 = fsub double %v471, %v472
  %v474 = fmul double %v473, 0x3FE62E42FEFA4000
  %v475 = and i64 %v467, 4503599627370495
  %v476 = add nuw nsw i64 %v475, 4604544271217802189
  %v477 = bitcast i64 %v476 to double
  %v478 = fadd double %v477, -1.000000e+00
  %v479 = fadd double %v478, 2.000000e+00
  %v480 = fdiv double 1.000000e+00, %v479
  %v481 = fmul double %v478, %v480
  %v482 = fmul double %v481, %v481
  %v483 = fmul double %v481, %v482
  %v484 = tail call double @llvm.fma.f64(double %v482, double 0x3FB0E48C86029D98, double 0x3FB0F7F491D7840F)
  %v485 = tail call double @llvm.fma.f64(double %v484, double %v482, double 0x3FB3B1EF291B286B)
  %v486 = tail call double @llvm.fma.f64(double %v485, double %v482, double 0x3FB745CE9C13DB3B)
  %v487 = tail call double @llvm.fma.f64(double %v486, double %v482, double 0x3FBC71C722DC3A56)
  %v488 = tail call double @llvm.fma.f64(double %v487, double %v482, double 0x3FC2492492457977)
  %v489 = tail call double @llvm.fma.f64(double %v488, double %v482, double 0x3FC9999999999B32)
  %v490 = fmul double %v482, %v489
  %v491 = fadd double %v490, 0x3FD5555555555555
  %v492 = fmul double %v483, %v491
  %v493 = fadd double %v481, %v492
  %v494 = fmul double %v493, 2.000000e+00
  %v495 = fadd double %v474, %v494
  %v496 = select i1 %v439, double %v495, double %v438
  %v497 = select i1 %v462, double 0xFFF0000000000000, double %v496
  %v498 = fmul double %v497, %v203
  %v499 = fcmp olt double %v498, -7.460000e+02
  %v500 = fcmp ogt double %v498, 7.105000e+02
  %v501 = or i1 %v499, %v500
  %v502 = fsub double %v474, %v495
  %v503 = fadd double %v494, %v502
  %v504 = fsub double %v481, %v493
  %v505 = fadd double %v492, %v504
  %v506 = fneg double %v481
  %v507 = fadd double %v479, -2.000000e+00
  %v508 = fsub double %v478, %v507
  %v509 = tail call double @llvm.fma.f64(double %v506, double %v479, double %v478)
  %v510 = tail call double @llvm.fma.f64(double %v506, double %v508, double %v509)
  %v511 = fmul double %v480, %v510
  %v512 = fsub double 0x3FD5555555555555, %v491
  %v513 = fadd double %v490, %v512
  %v514 = fadd double %v513, 0x3C75555555555555
  %v515 = fmul double %v481, 2.000000e+00
  %v516 = fneg double %v482
  %v517 = tail call double @llvm.fma.f64(double %v481, double %v481, double %v516)
  %v518 = tail call double @llvm.fma.f64(double %v515, double %v511, double %v517)
  %v519 = fneg double %v483
  %v520 = tail call double @llvm.fma.f64(double %v481, double %v482, double %v519)
  %v521 = tail call double @llvm.fma.f64(double %v511, double %v482, double %v520)
  %v522 = tail call double @llvm.fma.f64(double %v481, double %v518, double %v521)
  %v523 = fneg double %v492
  %v524 = tail call double @llvm.fma.f64(double %v483, double %v491, double %v523)
  %v525 = tail call double @llvm.fma.f64(double %v522, double %v491, double %v524)
  %v526 = tail call double @llvm.fma.f64(double %v483, double %v514, double %v525)
  %v527 = fadd double %v511, %v526
  %v528 = fadd double %v505, %v527
  %v529 = fmul double %v528, 2.000000e+00
  %v530 = tail call double @llvm.fma.f64(double %v473, double 0xBD48432A1B0E2634, double %v529)
  %v531 = fadd double %v503, %v530
  %v532 = fneg double %v498
  %v533 = tail call double @llvm.fma.f64(double %v203, double %v497, double %v532)
  %v534 = tail call double @llvm.fma.f64(double %v203, double %v531, double %v533)
  %v535 = select i1 %v501, double 0.000000e+00, double %v534
  %v536 = select i1 %v500, double 7.105000e+02, double %v498
  %v537 = select i1 %v499, double -7.460000e+02, double %v536
  %v538 = tail call double @llvm.fma.f64(double %v537, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v539 = fadd double %v538, 0xC338000000000000
  %v540 = fneg double %v539
  %v541 = tail call double @llvm.fma.f64(double %v540, double 0x3FE62E42FEFA4000, double %v537)
  %v542 = tail call double @llvm.fma.f64(double %v540, double 0xBD48432A1B0E2634, double %v541)
  %v543 = fmul double %v542, %v542
  %v544 = tail call double @llvm.fma.f64(double %v542, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v545 = tail call double @llvm.fma.f64(double %v544, double %v542, double 0x3E927E4DB81FC5C4)
  %v546 = tail call double @llvm.fma.f64(double %v545, double %v542, double 0x3EC71DDED4DF15D0)
  %v547 = tail call double @llvm.fma.f64(double %v546, double %v542, double 0x3EFA01A01A70E1D0)
  %v548 = tail call double @llvm.fma.f64(double %v547, double %v542, double 0x3F2A01A01B4A1A68)
  %v549 = tail call double @llvm.fma.f64(double %v548, double %v542, double 0x3F56C16C16C1618C)
  %v550 = tail call double @llvm.fma.f64(double %v549, double %v542, double 0x3F8111111110E966)
  %v551 = tail call double @llvm.fma.f64(double %v550, double %v542, double 0x3FA5555555555556)
  %v552 = tail call double @llvm.fma.f64(double %v551, double %v542, double 0x3FC555555555555C)
  %v553 = tail call double @llvm.fma.f64(double %v552, double %v542, double 5.000000e-01)
  %v554 = tail call double @llvm.fma.f64(double %v543, double %v553, double %v542)
  %v555 = fadd double %v554, 1.000000e+00
  %v556 = tail call double @llvm.fma.f64(double %v535, double %v555, double %v554)
  %v557 = fadd double %v556, 1.000000e+00
  %v558 = bitcast double %v538 to i64
  %v559 = add i64 %v558, -4843621399236967424
  %v560 = lshr i64 %v559, 1
  %v561 = shl i64 %v560, 52
  %v562 = add i64 %v561, 2301339409586323456
  %v563 = bitcast i64 %v562 to double
  %v564 = fmul double %v557, %v563
  %v565 = sub i64 %v559, %v560
  %v566 = shl i64 %v565, 52
  %v567 = add i64 %v566, 2301339409586323456
  %v568 = bitcast i64 %v567 to double
  %v569 = fmul double %v564, %v568
  %v570 = select i1 %v461, double 0x7FF8000000000000, double %v569
  %v571 = fneg double %v570
  %v572 = select i1 %v458, double %v571, double %v570
  %v573 = select i1 %v455, double 1.000000e+00, double %v572
  %v574 = select i1 %v454, double %v453, double %v573
  %v575 = fmul double %v437, %v574
  %v576 = fadd double %v402, %v575
  %v577 = fmul double %v250, %v576
  %v244 = fadd double %v243, %v577
  %v242 = fadd double %v241, 1.000000e+00
  %v578 = fcmp olt double %v242, %v155
  br i1 %v578, label %b17, label %b26
b28:
  %v579 = phi double [ 0x7FF8000000000000, %b10 ], [ 0x7FF8000000000000, %b11 ], [ %v400, %b26 ], [ %v138, %b13 ], [ %v122, %b9 ], [ %v17, %b7 ], [ 0x7FF8000000000000, %b4 ]
  ret double %v579
}

define internal float @m_pow_float32(float %x, float %y) alwaysinline nounwind {
b1:
  %v1 = fcmp olt float %y, 0.000000e+00
  %v2 = tail call float @llvm.fabs.f32(float %x)
  %v3 = fcmp one float %v2, 0x7FF0000000000000
  %v4 = tail call float @llvm.fabs.f32(float %y)
  %v5 = fcmp ole float %v4, 8.000000e+00
  %v6 = tail call float @llvm.trunc.f32(float %v4)
  %v7 = fcmp oeq float %v4, %v6
  %v8 = and i1 %v5, %v7
  %v9 = fcmp oeq float %v4, 8.000000e+00
  %v10 = fmul float %x, %x
  %v11 = fmul float %v10, %v10
  %v12 = fmul float %v11, %v11
  %v13 = fmul float %v4, 5.000000e-01
  %v14 = tail call float @llvm.trunc.f32(float %v13)
  %v15 = fmul float %v14, 5.000000e-01
  %v16 = tail call float @llvm.trunc.f32(float %v15)
  %v17 = fmul float %v16, 5.000000e-01
  %v18 = tail call float @llvm.trunc.f32(float %v17)
  %v19 = fadd float %v18, %v18
  %v20 = fcmp une float %v16, %v19
  %v21 = fadd float %v16, %v16
  %v22 = fcmp une float %v14, %v21
  %v23 = fadd float %v14, %v14
  %v24 = fcmp une float %v4, %v23
  %v25 = select i1 %v24, float %x, float 1.000000e+00
  %v26 = fmul float %v10, %v25
  %v27 = select i1 %v22, float %v26, float %v25
  %v28 = fmul float %v11, %v27
  %v29 = select i1 %v20, float %v28, float %v27
  %v30 = select i1 %v9, float %v12, float %v29
  %v31 = select i1 %v8, float %v30, float 0x7FF8000000000000
  %v32 = tail call float @llvm.fabs.f32(float %v31)
  %v33 = fcmp oeq float %v32, 0x7FF0000000000000
  %v34 = and i1 %v3, %v33
  %v35 = fdiv float 1.000000e+00, %v31
  %v36 = select i1 %v34, float 0x7FF8000000000000, float %v35
  %v37 = select i1 %v1, float %v36, float %v31
  %v38 = fcmp ord float %v37, 0.000000e+00
  %v39 = fcmp oeq float %x, 1.000000e+00
  %v40 = fcmp oeq float %v2, 1.000000e+00
  %v41 = fcmp oeq float %v4, 0x7FF0000000000000
  %v42 = and i1 %v40, %v41
  %v43 = or i1 %v39, %v42
  %v44 = fmul float %y, 5.000000e-01
  %v45 = tail call float @llvm.trunc.f32(float %v44)
  %v46 = fcmp une float %v45, %v44
  %v47 = bitcast float %x to i32
  %v48 = icmp slt i32 %v47, 0
  %v49 = and i1 %v48, %v46
  %v50 = tail call float @llvm.trunc.f32(float %y)
  %v51 = fcmp oeq float %v50, %y
  %v52 = and i1 %v51, %v49
  %v53 = fcmp olt float %x, 0.000000e+00
  %v54 = xor i1 %v51, true
  %v55 = and i1 %v53, %v54
  %v56 = and i1 %v3, %v55
  %v57 = fcmp oeq float %x, 0.000000e+00
  %v58 = fcmp olt float %v2, 0x3810000000000000
  %v59 = fmul float %v2, 0x4170000000000000
  %v60 = select i1 %v58, float %v59, float %v2
  %v61 = bitcast float %v60 to i32
  %v62 = add i32 %v61, 4913933
  %v63 = lshr i32 %v62, 23
  %v64 = or disjoint i32 %v63, 1258291200
  %v65 = bitcast i32 %v64 to float
  %v66 = fadd float %v65, 0xC160000000000000
  %v67 = select i1 %v58, float 1.510000e+02, float 1.270000e+02
  %v68 = fsub float %v66, %v67
  %v69 = fmul float %v68, 0x3FE62E4000000000
  %v70 = and i32 %v62, 8388607
  %v71 = add nuw nsw i32 %v70, 1060439283
  %v72 = bitcast i32 %v71 to float
  %v73 = fadd float %v72, -1.000000e+00
  %v74 = fadd float %v73, 2.000000e+00
  %v75 = fdiv float 1.000000e+00, %v74
  %v76 = fmul float %v73, %v75
  %v77 = fmul float %v76, %v76
  %v78 = fmul float %v76, %v77
  %v79 = tail call float @llvm.fma.f32(float %v77, float 0x3FBDFA29A0000000, float 0x3FC24527C0000000)
  %v80 = tail call float @llvm.fma.f32(float %v79, float %v77, float 0x3FC999A000000000)
  %v81 = fmul float %v77, %v80
  %v82 = fadd float %v81, 0x3FD5555560000000
  %v83 = fmul float %v78, %v82
  %v84 = fadd float %v76, %v83
  %v85 = fmul float %v84, 2.000000e+00
  %v86 = fadd float %v69, %v85
  %v87 = select i1 %v3, float %v86, float %v2
  %v88 = select i1 %v57, float 0xFFF0000000000000, float %v87
  %v89 = fmul float %y, %v88
  %v90 = fcmp olt float %v89, -1.045000e+02
  %v91 = fcmp ogt float %v89, 8.950000e+01
  %v92 = or i1 %v90, %v91
  %v93 = fsub float %v69, %v86
  %v94 = fadd float %v85, %v93
  %v95 = fsub float %v76, %v84
  %v96 = fadd float %v83, %v95
  %v97 = fneg float %v76
  %v98 = fadd float %v74, -2.000000e+00
  %v99 = fsub float %v73, %v98
  %v100 = tail call float @llvm.fma.f32(float %v97, float %v74, float %v73)
  %v101 = tail call float @llvm.fma.f32(float %v97, float %v99, float %v100)
  %v102 = fmul float %v75, %v101
  %v103 = fsub float 0x3FD5555560000000, %v82
  %v104 = fadd float %v81, %v103
  %v105 = fadd float %v104, 0xBE45555560000000
  %v106 = fmul float %v76, 2.000000e+00
  %v107 = fneg float %v77
  %v108 = tail call float @llvm.fma.f32(float %v76, float %v76, float %v107)
  %v109 = tail call float @llvm.fma.f32(float %v106, float %v102, float %v108)
  %v110 = fneg float %v78
  %v111 = tail call float @llvm.fma.f32(float %v76, float %v77, float %v110)
  %v112 = tail call float @llvm.fma.f32(float %v102, float %v77, float %v111)
  %v113 = tail call float @llvm.fma.f32(float %v76, float %v109, float %v112)
  %v114 = fneg float %v83
  %v115 = tail call float @llvm.fma.f32(float %v78, float %v82, float %v114)
  %v116 = tail call float @llvm.fma.f32(float %v113, float %v82, float %v115)
  %v117 = tail call float @llvm.fma.f32(float %v78, float %v105, float %v116)
  %v118 = fadd float %v102, %v117
  %v119 = fadd float %v96, %v118
  %v120 = fmul float %v119, 2.000000e+00
  %v121 = tail call float @llvm.fma.f32(float %v68, float 0x3EB7F7D1C0000000, float %v120)
  %v122 = fadd float %v94, %v121
  %v123 = fneg float %v89
  %v124 = tail call float @llvm.fma.f32(float %y, float %v88, float %v123)
  %v125 = tail call float @llvm.fma.f32(float %y, float %v122, float %v124)
  %v126 = select i1 %v92, float 0.000000e+00, float %v125
  %v127 = select i1 %v90, float -1.045000e+02, float %v89
  %v128 = fcmp ogt float %v127, 8.950000e+01
  %v129 = select i1 %v128, float 8.950000e+01, float %v127
  %v130 = tail call float @llvm.fma.f32(float %v129, float 0x3FF7154760000000, float 0x4168000000000000)
  %v131 = fadd float %v130, 0xC168000000000000
  %v132 = fneg float %v131
  %v133 = tail call float @llvm.fma.f32(float %v132, float 0x3FE62E4000000000, float %v129)
  %v134 = tail call float @llvm.fma.f32(float %v132, float 0x3EB7F7D1C0000000, float %v133)
  %v135 = fmul float %v134, %v134
  %v136 = tail call float @llvm.fma.f32(float %v134, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v137 = tail call float @llvm.fma.f32(float %v136, float %v134, float 0x3FA5555240000000)
  %v138 = tail call float @llvm.fma.f32(float %v137, float %v134, float 0x3FC5554900000000)
  %v139 = tail call float @llvm.fma.f32(float %v138, float %v134, float 5.000000e-01)
  %v140 = tail call float @llvm.fma.f32(float %v135, float %v139, float %v134)
  %v141 = fadd float %v140, 1.000000e+00
  %v142 = tail call float @llvm.fma.f32(float %v126, float %v141, float %v140)
  %v143 = fadd float %v142, 1.000000e+00
  %v144 = bitcast float %v130 to i32
  %v145 = add i32 %v144, -1262485376
  %v146 = lshr i32 %v145, 1
  %v147 = shl i32 %v146, 23
  %v148 = add i32 %v147, 528482304
  %v149 = bitcast i32 %v148 to float
  %v150 = fmul float %v143, %v149
  %v151 = sub i32 %v145, %v146
  %v152 = shl i32 %v151, 23
  %v153 = add i32 %v152, 528482304
  %v154 = bitcast i32 %v153 to float
  %v155 = fmul float %v150, %v154
  %v156 = select i1 %v56, float 0x7FF8000000000000, float %v155
  %v157 = fneg float %v156
  %v158 = select i1 %v52, float %v157, float %v156
  %v159 = select i1 %v43, float 1.000000e+00, float %v158
  %v160 = select i1 %v38, float %v37, float %v159
  ret float %v160
}

define internal double @m_pow_float64(double %x, double %y) alwaysinline nounwind {
b1:
  %v1 = fcmp olt double %y, 0.000000e+00
  %v2 = tail call double @llvm.fabs.f64(double %x)
  %v3 = fcmp one double %v2, 0x7FF0000000000000
  %v4 = tail call double @llvm.fabs.f64(double %y)
  %v5 = fcmp ole double %v4, 8.000000e+00
  %v6 = tail call double @llvm.trunc.f64(double %v4)
  %v7 = fcmp oeq double %v4, %v6
  %v8 = and i1 %v5, %v7
  %v9 = fcmp oeq double %v4, 8.000000e+00
  %v10 = fmul double %x, %x
  %v11 = fmul double %v10, %v10
  %v12 = fmul double %v11, %v11
  %v13 = fmul double %v4, 5.000000e-01
  %v14 = tail call double @llvm.trunc.f64(double %v13)
  %v15 = fmul double %v14, 5.000000e-01
  %v16 = tail call double @llvm.trunc.f64(double %v15)
  %v17 = fmul double %v16, 5.000000e-01
  %v18 = tail call double @llvm.trunc.f64(double %v17)
  %v19 = fadd double %v18, %v18
  %v20 = fcmp une double %v16, %v19
  %v21 = fadd double %v16, %v16
  %v22 = fcmp une double %v14, %v21
  %v23 = fadd double %v14, %v14
  %v24 = fcmp une double %v4, %v23
  %v25 = select i1 %v24, double %x, double 1.000000e+00
  %v26 = fmul double %v10, %v25
  %v27 = select i1 %v22, double %v26, double %v25
  %v28 = fmul double %v11, %v27
  %v29 = select i1 %v20, double %v28, double %v27
  %v30 = select i1 %v9, double %v12, double %v29
  %v31 = select i1 %v8, double %v30, double 0x7FF8000000000000
  %v32 = tail call double @llvm.fabs.f64(double %v31)
  %v33 = fcmp oeq double %v32, 0x7FF0000000000000
  %v34 = and i1 %v3, %v33
  %v35 = fdiv double 1.000000e+00, %v31
  %v36 = select i1 %v34, double 0x7FF8000000000000, double %v35
  %v37 = select i1 %v1, double %v36, double %v31
  %v38 = fcmp ord double %v37, 0.000000e+00
  %v39 = fcmp oeq double %x, 1.000000e+00
  %v40 = fcmp oeq double %v2, 1.000000e+00
  %v41 = fcmp oeq double %v4, 0x7FF0000000000000
  %v42 = and i1 %v40, %v41
  %v43 = or i1 %v39, %v42
  %v44 = fmul double %y, 5.000000e-01
  %v45 = tail call double @llvm.trunc.f64(double %v44)
  %v46 = fcmp une double %v45, %v44
  %v47 = bitcast double %x to i64
  %v48 = icmp slt i64 %v47, 0
  %v49 = and i1 %v48, %v46
  %v50 = tail call double @llvm.trunc.f64(double %y)
  %v51 = fcmp oeq double %v50, %y
  %v52 = and i1 %v51, %v49
  %v53 = fcmp olt double %x, 0.000000e+00
  %v54 = xor i1 %v51, true
  %v55 = and i1 %v53, %v54
  %v56 = and i1 %v3, %v55
  %v57 = fcmp oeq double %x, 0.000000e+00
  %v58 = fcmp olt double %v2, 0x10000000000000
  %v59 = fmul double %v2, 0x4340000000000000
  %v60 = select i1 %v58, double %v59, double %v2
  %v61 = bitcast double %v60 to i64
  %v62 = add i64 %v61, 2638147582215219
  %v63 = lshr i64 %v62, 52
  %v64 = or disjoint i64 %v63, 4841369599423283200
  %v65 = bitcast i64 %v64 to double
  %v66 = fadd double %v65, 0xC330000000000000
  %v67 = select i1 %v58, double 1.076000e+03, double 1.023000e+03
  %v68 = fsub double %v66, %v67
  %v69 = fmul double %v68, 0x3FE62E42FEFA4000
  %v70 = and i64 %v62, 4503599627370495
  %v71 = add nuw nsw i64 %v70, 4604544271217802189
  %v72 = bitcast i64 %v71 to double
  %v73 = fadd double %v72, -1.000000e+00
  %v74 = fadd double %v73, 2.000000e+00
  %v75 = fdiv double 1.000000e+00, %v74
  %v76 = fmul double %v73, %v75
  %v77 = fmul double %v76, %v76
  %v78 = fmul double %v76, %v77
  %v79 = tail call double @llvm.fma.f64(double %v77, double 0x3FB0E48C86029D98, double 0x3FB0F7F491D7840F)
  %v80 = tail call double @llvm.fma.f64(double %v79, double %v77, double 0x3FB3B1EF291B286B)
  %v81 = tail call double @llvm.fma.f64(double %v80, double %v77, double 0x3FB745CE9C13DB3B)
  %v82 = tail call double @llvm.fma.f64(double %v81, double %v77, double 0x3FBC71C722DC3A56)
  %v83 = tail call double @llvm.fma.f64(double %v82, double %v77, double 0x3FC2492492457977)
  %v84 = tail call double @llvm.fma.f64(double %v83, double %v77, double 0x3FC9999999999B32)
  %v85 = fmul double %v77, %v84
  %v86 = fadd double %v85, 0x3FD5555555555555
  %v87 = fmul double %v78, %v86
  %v88 = fadd double %v76, %v87
  %v89 = fmul double %v88, 2.000000e+00
  %v90 = fadd double %v69, %v89
  %v91 = select i1 %v3, double %v90, double %v2
  %v92 = select i1 %v57, double 0xFFF0000000000000, double %v91
  %v93 = fmul double %y, %v92
  %v94 = fcmp olt double %v93, -7.460000e+02
  %v95 = fcmp ogt double %v93, 7.105000e+02
  %v96 = or i1 %v94, %v95
  %v97 = fsub double %v69, %v90
  %v98 = fadd double %v89, %v97
  %v99 = fsub double %v76, %v88
  %v100 = fadd double %v87, %v99
  %v101 = fneg double %v76
  %v102 = fadd double %v74, -2.000000e+00
  %v103 = fsub double %v73, %v102
  %v104 = tail call double @llvm.fma.f64(double %v101, double %v74, double %v73)
  %v105 = tail call double @llvm.fma.f64(double %v101, double %v103, double %v104)
  %v106 = fmul double %v75, %v105
  %v107 = fsub double 0x3FD5555555555555, %v86
  %v108 = fadd double %v85, %v107
  %v109 = fadd double %v108, 0x3C75555555555555
  %v110 = fmul double %v76, 2.000000e+00
  %v111 = fneg double %v77
  %v112 = tail call double @llvm.fma.f64(double %v76, double %v76, double %v111)
  %v113 = tail call double @llvm.fma.f64(double %v110, double %v106, double %v112)
  %v114 = fneg double %v78
  %v115 = tail call double @llvm.fma.f64(double %v76, double %v77, double %v114)
  %v116 = tail call double @llvm.fma.f64(double %v106, double %v77, double %v115)
  %v117 = tail call double @llvm.fma.f64(double %v76, double %v113, double %v116)
  %v118 = fneg double %v87
  %v119 = tail call double @llvm.fma.f64(double %v78, double %v86, double %v118)
  %v120 = tail call double @llvm.fma.f64(double %v117, double %v86, double %v119)
  %v121 = tail call double @llvm.fma.f64(double %v78, double %v109, double %v120)
  %v122 = fadd double %v106, %v121
  %v123 = fadd double %v100, %v122
  %v124 = fmul double %v123, 2.000000e+00
  %v125 = tail call double @llvm.fma.f64(double %v68, double 0xBD48432A1B0E2634, double %v124)
  %v126 = fadd double %v98, %v125
  %v127 = fneg double %v93
  %v128 = tail call double @llvm.fma.f64(double %y, double %v92, double %v127)
  %v129 = tail call double @llvm.fma.f64(double %y, double %v126, double %v128)
  %v130 = select i1 %v96, double 0.000000e+00, double %v129
  %v131 = select i1 %v94, double -7.460000e+02, double %v93
  %v132 = fcmp ogt double %v131, 7.105000e+02
  %v133 = select i1 %v132, double 7.105000e+02, double %v131
  %v134 = tail call double @llvm.fma.f64(double %v133, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v135 = fadd double %v134, 0xC338000000000000
  %v136 = fneg double %v135
  %v137 = tail call double @llvm.fma.f64(double %v136, double 0x3FE62E42FEFA4000, double %v133)
  %v138 = tail call double @llvm.fma.f64(double %v136, double 0xBD48432A1B0E2634, double %v137)
  %v139 = fmul double %v138, %v138
  %v140 = tail call double @llvm.fma.f64(double %v138, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v141 = tail call double @llvm.fma.f64(double %v140, double %v138, double 0x3E927E4DB81FC5C4)
  %v142 = tail call double @llvm.fma.f64(double %v141, double %v138, double 0x3EC71DDED4DF15D0)
  %v143 = tail call double @llvm.fma.f64(double %v142, double %v138, double 0x3EFA01A01A70E1D0)
  %v144 = tail call double @llvm.fma.f64(double %v143, double %v138, double 0x3F2A01A01B4A1A68)
  %v145 = tail call double @llvm.fma.f64(double %v144, double %v138, double 0x3F56C16C16C1618C)
  %v146 = tail call double @llvm.fma.f64(double %v145, double %v138, double 0x3F8111111110E966)
  %v147 = tail call double @llvm.fma.f64(double %v146, double %v138, double 0x3FA5555555555556)
  %v148 = tail call double @llvm.fma.f64(double %v147, double %v138, double 0x3FC555555555555C)
  %v149 = tail call double @llvm.fma.f64(double %v148, double %v138, double 5.000000e-01)
  %v150 = tail call double @llvm.fma.f64(double %v139, double %v149, double %v138)
  %v151 = fadd double %v150, 1.000000e+00
  %v152 = tail call double @llvm.fma.f64(double %v130, double %v151, double %v150)
  %v153 = fadd double %v152, 1.000000e+00
  %v154 = bitcast double %v134 to i64
  %v155 = add i64 %v154, -4843621399236967424
  %v156 = lshr i64 %v155, 1
  %v157 = shl i64 %v156, 52
  %v158 = add i64 %v157, 2301339409586323456
  %v159 = bitcast i64 %v158 to double
  %v160 = fmul double %v153, %v159
  %v161 = sub i64 %v155, %v156
  %v162 = shl i64 %v161, 52
  %v163 = add i64 %v162, 2301339409586323456
  %v164 = bitcast i64 %v163 to double
  %v165 = fmul double %v160, %v164
  %v166 = select i1 %v56, double 0x7FF8000000000000, double %v165
  %v167 = fneg double %v166
  %v168 = select i1 %v52, double %v167, double %v166
  %v169 = select i1 %v43, double 1.000000e+00, double %v168
  %v170 = select i1 %v38, double %v37, double %v169
  ret double %v170
}

define internal float @m_pow_short_float32(float %x, float %y) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %y)
  %v2 = fmul float %v1, 5.000000e-01
  %v3 = tail call float @llvm.trunc.f32(float %v2)
  %v4 = fmul float %v3, 5.000000e-01
  %v5 = tail call float @llvm.trunc.f32(float %v4)
  %v6 = fmul float %v5, 5.000000e-01
  %v7 = tail call float @llvm.trunc.f32(float %v6)
  %v8 = fmul float %x, %x
  %v9 = fmul float %v8, %v8
  %v10 = fadd float %v3, %v3
  %v11 = fcmp une float %v1, %v10
  %v12 = select i1 %v11, float %x, float 1.000000e+00
  %v13 = fadd float %v5, %v5
  %v14 = fcmp une float %v3, %v13
  %v15 = fmul float %v8, %v12
  %v16 = select i1 %v14, float %v15, float %v12
  %v17 = fadd float %v7, %v7
  %v18 = fcmp une float %v5, %v17
  %v19 = fmul float %v9, %v16
  %v20 = select i1 %v18, float %v19, float %v16
  %v21 = fcmp oeq float %v1, 8.000000e+00
  %v22 = fmul float %v9, %v9
  %v23 = select i1 %v21, float %v22, float %v20
  %v24 = tail call float @llvm.trunc.f32(float %v1)
  %v25 = fcmp oeq float %v1, %v24
  %v26 = fcmp ole float %v1, 8.000000e+00
  %v27 = and i1 %v26, %v25
  %v28 = select i1 %v27, float %v23, float 0x7FF8000000000000
  %v29 = fcmp olt float %y, 0.000000e+00
  %v30 = fdiv float 1.000000e+00, %v28
  %v31 = tail call float @llvm.fabs.f32(float %v28)
  %v32 = fcmp oeq float %v31, 0x7FF0000000000000
  %v33 = tail call float @llvm.fabs.f32(float %x)
  %v34 = fcmp one float %v33, 0x7FF0000000000000
  %v35 = and i1 %v34, %v32
  %v36 = select i1 %v35, float 0x7FF8000000000000, float %v30
  %v37 = select i1 %v29, float %v36, float %v28
  ret float %v37
}

define internal double @m_pow_short_float64(double %x, double %y) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %y)
  %v2 = fmul double %v1, 5.000000e-01
  %v3 = tail call double @llvm.trunc.f64(double %v2)
  %v4 = fmul double %v3, 5.000000e-01
  %v5 = tail call double @llvm.trunc.f64(double %v4)
  %v6 = fmul double %v5, 5.000000e-01
  %v7 = tail call double @llvm.trunc.f64(double %v6)
  %v8 = fmul double %x, %x
  %v9 = fmul double %v8, %v8
  %v10 = fadd double %v3, %v3
  %v11 = fcmp une double %v1, %v10
  %v12 = select i1 %v11, double %x, double 1.000000e+00
  %v13 = fadd double %v5, %v5
  %v14 = fcmp une double %v3, %v13
  %v15 = fmul double %v8, %v12
  %v16 = select i1 %v14, double %v15, double %v12
  %v17 = fadd double %v7, %v7
  %v18 = fcmp une double %v5, %v17
  %v19 = fmul double %v9, %v16
  %v20 = select i1 %v18, double %v19, double %v16
  %v21 = fcmp oeq double %v1, 8.000000e+00
  %v22 = fmul double %v9, %v9
  %v23 = select i1 %v21, double %v22, double %v20
  %v24 = tail call double @llvm.trunc.f64(double %v1)
  %v25 = fcmp oeq double %v1, %v24
  %v26 = fcmp ole double %v1, 8.000000e+00
  %v27 = and i1 %v26, %v25
  %v28 = select i1 %v27, double %v23, double 0x7FF8000000000000
  %v29 = fcmp olt double %y, 0.000000e+00
  %v30 = fdiv double 1.000000e+00, %v28
  %v31 = tail call double @llvm.fabs.f64(double %v28)
  %v32 = fcmp oeq double %v31, 0x7FF0000000000000
  %v33 = tail call double @llvm.fabs.f64(double %x)
  %v34 = fcmp one double %v33, 0x7FF0000000000000
  %v35 = and i1 %v34, %v32
  %v36 = select i1 %v35, double 0x7FF8000000000000, double %v30
  %v37 = select i1 %v29, double %v36, double %v28
  ret double %v37
}

define internal float @m_pow_whole_float32(float %x, float %y) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %y)
  %v2 = tail call float @llvm.trunc.f32(float %y)
  %v3 = fcmp oeq float %v1, %v2
  %v4 = fcmp ole float %y, 8.000000e+00
  %v5 = and i1 %v4, %v3
  %v6 = fcmp oeq float %y, 8.000000e+00
  %v7 = fmul float %x, %x
  %v8 = fmul float %v7, %v7
  %v9 = fmul float %v8, %v8
  %v10 = fmul float %y, 5.000000e-01
  %v11 = tail call float @llvm.trunc.f32(float %v10)
  %v12 = fmul float %v11, 5.000000e-01
  %v13 = tail call float @llvm.trunc.f32(float %v12)
  %v14 = fmul float %v13, 5.000000e-01
  %v15 = tail call float @llvm.trunc.f32(float %v14)
  %v16 = fadd float %v15, %v15
  %v17 = fcmp une float %v13, %v16
  %v18 = fadd float %v13, %v13
  %v19 = fcmp une float %v11, %v18
  %v20 = fadd float %v11, %v11
  %v21 = fcmp une float %y, %v20
  %v22 = select i1 %v21, float %x, float 1.000000e+00
  %v23 = fmul float %v7, %v22
  %v24 = select i1 %v19, float %v23, float %v22
  %v25 = fmul float %v8, %v24
  %v26 = select i1 %v17, float %v25, float %v24
  %v27 = select i1 %v6, float %v9, float %v26
  %v28 = select i1 %v5, float %v27, float 0x7FF8000000000000
  ret float %v28
}

define internal double @m_pow_whole_float64(double %x, double %y) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %y)
  %v2 = tail call double @llvm.trunc.f64(double %y)
  %v3 = fcmp oeq double %v1, %v2
  %v4 = fcmp ole double %y, 8.000000e+00
  %v5 = and i1 %v4, %v3
  %v6 = fcmp oeq double %y, 8.000000e+00
  %v7 = fmul double %x, %x
  %v8 = fmul double %v7, %v7
  %v9 = fmul double %v8, %v8
  %v10 = fmul double %y, 5.000000e-01
  %v11 = tail call double @llvm.trunc.f64(double %v10)
  %v12 = fmul double %v11, 5.000000e-01
  %v13 = tail call double @llvm.trunc.f64(double %v12)
  %v14 = fmul double %v13, 5.000000e-01
  %v15 = tail call double @llvm.trunc.f64(double %v14)
  %v16 = fadd double %v15, %v15
  %v17 = fcmp une double %v13, %v16
  %v18 = fadd double %v13, %v13
  %v19 = fcmp une double %v11, %v18
  %v20 = fadd double %v11, %v11
  %v21 = fcmp une double %y, %v20
  %v22 = select i1 %v21, double %x, double 1.000000e+00
  %v23 = fmul double %v7, %v22
  %v24 = select i1 %v19, double %v23, double %v22
  %v25 = fmul double %v8, %v24
  %v26 = select i1 %v17, double %v25, double %v24
  %v27 = select i1 %v6, double %v9, double %v26
  %v28 = select i1 %v5, double %v27, double 0x7FF8000000000000
  ret double %v28
}

define internal float @m_round_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.roundeven.f32(float %x)
  ret float %v1
}

define internal double @m_round_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.roundeven.f64(double %x)
  ret double %v1
}

define internal float @m_rsqrt_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.sqrt.f32(float %x)
  %v2 = fdiv float 1.000000e+00, %v1
  ret float %v2
}

define internal double @m_rsqrt_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.sqrt.f64(double %x)
  %v2 = fdiv double 1.000000e+00, %v1
  ret double %v2
}

define internal float @m_sigmoid_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt float %x, 0.000000e+00
  %v2 = tail call float @llvm.fabs.f32(float %x)
  %v3 = fneg float %v2
  %v4 = fcmp olt float %v3, -1.045000e+02
  %v5 = select i1 %v4, float -1.045000e+02, float %v3
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
  %v17 = fadd float %v16, 1.000000e+00
  %v18 = bitcast float %v6 to i32
  %v19 = add i32 %v18, -1262485376
  %v20 = lshr i32 %v19, 1
  %v21 = shl i32 %v20, 23
  %v22 = add i32 %v21, 528482304
  %v23 = bitcast i32 %v22 to float
  %v24 = fmul float %v17, %v23
  %v25 = sub i32 %v19, %v20
  %v26 = shl i32 %v25, 23
  %v27 = add i32 %v26, 528482304
  %v28 = bitcast i32 %v27 to float
  %v29 = fmul float %v24, %v28
  %v30 = select i1 %v1, float %v29, float 1.000000e+00
  %v31 = fadd float %v29, 1.000000e+00
  %v32 = fdiv float 1.000000e+00, %v31
  %v33 = fmul float %v30, %v32
  %v34 = fneg float %v33
  %v35 = fadd float %v31, -1.000000e+00
  %v36 = fsub float %v29, %v35
  %v37 = tail call float @llvm.fma.f32(float %v34, float %v31, float %v30)
  %v38 = tail call float @llvm.fma.f32(float %v34, float %v36, float %v37)
  %v39 = tail call float @llvm.fma.f32(float %v38, float %v32, float %v33)
  ret float %v39
}

define internal double @m_sigmoid_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt double %x, 0.000000e+00
  %v2 = tail call double @llvm.fabs.f64(double %x)
  %v3 = fneg double %v2
  %v4 = fcmp olt double %v3, -7.460000e+02
  %v5 = select i1 %v4, double -7.460000e+02, double %v3
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
  %v23 = fadd double %v22, 1.000000e+00
  %v24 = bitcast double %v6 to i64
  %v25 = add i64 %v24, -4843621399236967424
  %v26 = lshr i64 %v25, 1
  %v27 = shl i64 %v26, 52
  %v28 = add i64 %v27, 2301339409586323456
  %v29 = bitcast i64 %v28 to double
  %v30 = fmul double %v23, %v29
  %v31 = sub i64 %v25, %v26
  %v32 = shl i64 %v31, 52
  %v33 = add i64 %v32, 2301339409586323456
  %v34 = bitcast i64 %v33 to double
  %v35 = fmul double %v30, %v34
  %v36 = select i1 %v1, double %v35, double 1.000000e+00
  %v37 = fadd double %v35, 1.000000e+00
  %v38 = fdiv double 1.000000e+00, %v37
  %v39 = fmul double %v36, %v38
  %v40 = fneg double %v39
  %v41 = fadd double %v37, -1.000000e+00
  %v42 = fsub double %v35, %v41
  %v43 = tail call double @llvm.fma.f64(double %v40, double %v37, double %v36)
  %v44 = tail call double @llvm.fma.f64(double %v40, double %v42, double %v43)
  %v45 = tail call double @llvm.fma.f64(double %v44, double %v38, double %v39)
  ret double %v45
}

define internal float @m_sign_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt float %x, 0.000000e+00
  %v2 = fcmp ogt float %x, 0.000000e+00
  %v3 = fadd float %x, 0.000000e+00
  %v4 = select i1 %v2, float 1.000000e+00, float %v3
  %v5 = select i1 %v1, float -1.000000e+00, float %v4
  ret float %v5
}

define internal double @m_sign_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt double %x, 0.000000e+00
  %v2 = fcmp ogt double %x, 0.000000e+00
  %v3 = fadd double %x, 0.000000e+00
  %v4 = select i1 %v2, double 1.000000e+00, double %v3
  %v5 = select i1 %v1, double -1.000000e+00, double %v4
  ret double %v5
}

define internal float @m_sin_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = bitcast float %v1 to i32
  %v3 = lshr i32 %v2, 23
  %v4 = tail call i32 @llvm.usub.sat.i32(i32 %v3, i32 127)
  %v5 = tail call i32 @llvm.umin.i32(i32 %v4, i32 127)
  %v6 = zext nneg i32 %v5 to i64
  %v7 = getelementptr float, ptr @t_8299d0e7d20d, i64 %v6
  %v8 = load float, ptr %v7, align 4
  %v9 = getelementptr float, ptr @t_0f89f25d59ce, i64 %v6
  %v10 = load float, ptr %v9, align 4
  %v11 = getelementptr float, ptr @t_be83847ff80a, i64 %v6
  %v12 = load float, ptr %v11, align 4
  %v13 = fcmp oeq float %x, 0.000000e+00
  %v14 = fcmp ole float %v1, 1.310720e+05
  %v15 = tail call float @llvm.fma.f32(float %x, float 0x3FE45F3060000000, float 0x4168000000000000)
  %v16 = and i32 %v2, 8388607
  %v17 = or disjoint i32 %v16, 1258291200
  %v18 = bitcast i32 %v17 to float
  %v19 = tail call float @llvm.copysign.f32(float %v18, float %x)
  %v20 = fmul float %v19, %v8
  %v21 = fmul float %v20, 2.500000e-01
  %v22 = tail call float @llvm.roundeven.f32(float %v21)
  %v23 = fmul float %v22, 4.000000e+00
  %v24 = fsub float %v20, %v23
  %v25 = fneg float %v20
  %v26 = tail call float @llvm.fma.f32(float %v19, float %v8, float %v25)
  %v27 = fmul float %v26, 2.500000e-01
  %v28 = tail call float @llvm.roundeven.f32(float %v27)
  %v29 = fmul float %v28, 4.000000e+00
  %v30 = fsub float %v26, %v29
  %v31 = fadd float %v24, %v30
  %v32 = fmul float %v19, %v10
  %v33 = fmul float %v32, 2.500000e-01
  %v34 = tail call float @llvm.roundeven.f32(float %v33)
  %v35 = fmul float %v34, 4.000000e+00
  %v36 = fsub float %v32, %v35
  %v37 = fadd float %v36, %v31
  %v38 = tail call float @llvm.roundeven.f32(float %v37)
  %v39 = fadd float %v38, 0x4168000000000000
  %v40 = select i1 %v14, float %v15, float %v39
  %v41 = bitcast float %v40 to i32
  %v42 = shl i32 %v41, 30
  %v43 = and i32 %v42, -2147483648
  %v44 = and i32 %v41, 1
  %v45 = icmp eq i32 %v44, 0
  %v46 = fadd float %v15, 0xC168000000000000
  %v47 = fneg float %v46
  %v48 = tail call float @llvm.fma.f32(float %v47, float 0x3FF921FB60000000, float %x)
  %v49 = fmul float %v46, 0xBE6777A5C0000000
  %v50 = fsub float %v48, %v49
  %v51 = fcmp one float %v1, 0x7FF0000000000000
  %v52 = fsub float %v31, %v38
  %v53 = fadd float %v36, %v52
  %v54 = fneg float %v32
  %v55 = tail call float @llvm.fma.f32(float %v19, float %v10, float %v54)
  %v56 = fadd float %v55, %v53
  %v57 = fmul float %v19, %v12
  %v58 = fadd float %v57, %v56
  %v59 = fsub float %v53, %v52
  %v60 = fsub float %v53, %v59
  %v61 = fsub float %v52, %v60
  %v62 = fsub float %v36, %v59
  %v63 = fadd float %v62, %v61
  %v64 = fsub float %v56, %v53
  %v65 = fsub float %v56, %v64
  %v66 = fsub float %v53, %v65
  %v67 = fsub float %v55, %v64
  %v68 = fadd float %v67, %v66
  %v69 = fadd float %v63, %v68
  %v70 = fsub float %v58, %v56
  %v71 = fsub float %v58, %v70
  %v72 = fsub float %v56, %v71
  %v73 = fsub float %v57, %v70
  %v74 = fadd float %v73, %v72
  %v75 = fadd float %v69, %v74
  %v76 = fneg float %v57
  %v77 = tail call float @llvm.fma.f32(float %v19, float %v12, float %v76)
  %v78 = fadd float %v77, %v75
  %v79 = fadd float %v58, %v78
  %v80 = fmul float %v79, 0x3FF921FB60000000
  %v81 = select i1 %v51, float %v80, float 0x7FF8000000000000
  %v82 = select i1 %v14, float %v50, float %v81
  %v83 = fmul float %v82, %v82
  %v84 = fmul float %v82, %v83
  %v85 = tail call float @llvm.fma.f32(float %v83, float 0xBF2991BD40000000, float 0x3F81106C60000000)
  %v86 = tail call float @llvm.fma.f32(float %v85, float %v83, float 0xBFC5555440000000)
  %v87 = fsub float %v50, %v48
  %v88 = fsub float %v50, %v87
  %v89 = fsub float %v48, %v88
  %v90 = fadd float %v49, %v87
  %v91 = fsub float %v89, %v90
  %v92 = fneg float %v49
  %v93 = tail call float @llvm.fma.f32(float %v46, float 0xBE6777A5C0000000, float %v92)
  %v94 = fsub float %v91, %v93
  %v95 = tail call float @llvm.fma.f32(float %v47, float 0xBCDEE59DA0000000, float %v94)
  %v96 = fneg float %v80
  %v97 = tail call float @llvm.fma.f32(float %v79, float 0x3FF921FB60000000, float %v96)
  %v98 = fsub float %v79, %v58
  %v99 = fsub float %v78, %v98
  %v100 = fmul float %v99, 0x3FF921FB60000000
  %v101 = tail call float @llvm.fma.f32(float %v79, float 0xBE6777A5C0000000, float %v100)
  %v102 = fadd float %v97, %v101
  %v103 = select i1 %v14, float %v95, float %v102
  %v104 = tail call float @llvm.fma.f32(float %v84, float %v86, float %v103)
  %v105 = fadd float %v82, %v104
  %v106 = fneg float %v83
  %v107 = fmul float %v83, %v106
  %v108 = tail call float @llvm.fma.f32(float %v83, float 0x3EF99E0DA0000000, float 0xBF56C0C1A0000000)
  %v109 = tail call float @llvm.fma.f32(float %v108, float %v83, float 0x3FA55554A0000000)
  %v110 = fmul float %v83, 5.000000e-01
  %v111 = tail call float @llvm.fma.f32(float %v107, float %v109, float %v110)
  %v112 = fsub float 1.000000e+00, %v111
  %v113 = select i1 %v45, float %v105, float %v112
  %v114 = bitcast float %v113 to i32
  %v115 = xor i32 %v43, %v114
  %v116 = bitcast i32 %v115 to float
  %v117 = select i1 %v13, float %x, float %v116
  ret float %v117
}

define internal double @m_sin_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = bitcast double %v1 to i64
  %v3 = lshr i64 %v2, 52
  %v4 = tail call i64 @llvm.usub.sat.i64(i64 %v3, i64 1023)
  %v5 = tail call i64 @llvm.umin.i64(i64 %v4, i64 1023)
  %v6 = getelementptr double, ptr @t_811810fe58b0, i64 %v5
  %v7 = load double, ptr %v6, align 8
  %v8 = getelementptr double, ptr @t_2dd00f76f2e8, i64 %v5
  %v9 = load double, ptr %v8, align 8
  %v10 = getelementptr double, ptr @t_d4ec6e104c63, i64 %v5
  %v11 = load double, ptr %v10, align 8
  %v12 = fcmp oeq double %x, 0.000000e+00
  %v13 = fcmp ole double %v1, 0x4270000000000000
  %v14 = tail call double @llvm.fma.f64(double %x, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v15 = and i64 %v2, 4503599627370495
  %v16 = or disjoint i64 %v15, 4841369599423283200
  %v17 = bitcast i64 %v16 to double
  %v18 = tail call double @llvm.copysign.f64(double %v17, double %x)
  %v19 = fmul double %v18, %v7
  %v20 = fmul double %v19, 2.500000e-01
  %v21 = tail call double @llvm.roundeven.f64(double %v20)
  %v22 = fmul double %v21, 4.000000e+00
  %v23 = fsub double %v19, %v22
  %v24 = fneg double %v19
  %v25 = tail call double @llvm.fma.f64(double %v18, double %v7, double %v24)
  %v26 = fmul double %v25, 2.500000e-01
  %v27 = tail call double @llvm.roundeven.f64(double %v26)
  %v28 = fmul double %v27, 4.000000e+00
  %v29 = fsub double %v25, %v28
  %v30 = fadd double %v23, %v29
  %v31 = fmul double %v18, %v9
  %v32 = fmul double %v31, 2.500000e-01
  %v33 = tail call double @llvm.roundeven.f64(double %v32)
  %v34 = fmul double %v33, 4.000000e+00
  %v35 = fsub double %v31, %v34
  %v36 = fadd double %v35, %v30
  %v37 = tail call double @llvm.roundeven.f64(double %v36)
  %v38 = fadd double %v37, 0x4338000000000000
  %v39 = select i1 %v13, double %v14, double %v38
  %v40 = bitcast double %v39 to i64
  %v41 = shl i64 %v40, 62
  %v42 = and i64 %v41, -9223372036854775808
  %v43 = and i64 %v40, 1
  %v44 = icmp eq i64 %v43, 0
  %v45 = fadd double %v14, 0xC338000000000000
  %v46 = fneg double %v45
  %v47 = tail call double @llvm.fma.f64(double %v46, double 0x3FF921FB54442D18, double %x)
  %v48 = fmul double %v45, 0x3C91A62633145C07
  %v49 = fsub double %v47, %v48
  %v50 = fcmp one double %v1, 0x7FF0000000000000
  %v51 = fsub double %v30, %v37
  %v52 = fadd double %v35, %v51
  %v53 = fneg double %v31
  %v54 = tail call double @llvm.fma.f64(double %v18, double %v9, double %v53)
  %v55 = fadd double %v54, %v52
  %v56 = fmul double %v18, %v11
  %v57 = fadd double %v56, %v55
  %v58 = fsub double %v52, %v51
  %v59 = fsub double %v52, %v58
  %v60 = fsub double %v51, %v59
  %v61 = fsub double %v35, %v58
  %v62 = fadd double %v61, %v60
  %v63 = fsub double %v55, %v52
  %v64 = fsub double %v55, %v63
  %v65 = fsub double %v52, %v64
  %v66 = fsub double %v54, %v63
  %v67 = fadd double %v66, %v65
  %v68 = fadd double %v62, %v67
  %v69 = fsub double %v57, %v55
  %v70 = fsub double %v57, %v69
  %v71 = fsub double %v55, %v70
  %v72 = fsub double %v56, %v69
  %v73 = fadd double %v72, %v71
  %v74 = fadd double %v68, %v73
  %v75 = fneg double %v56
  %v76 = tail call double @llvm.fma.f64(double %v18, double %v11, double %v75)
  %v77 = fadd double %v76, %v74
  %v78 = fadd double %v57, %v77
  %v79 = fmul double %v78, 0x3FF921FB54442D18
  %v80 = select i1 %v50, double %v79, double 0x7FF8000000000000
  %v81 = select i1 %v13, double %v49, double %v80
  %v82 = fmul double %v81, %v81
  %v83 = fmul double %v81, %v82
  %v84 = tail call double @llvm.fma.f64(double %v82, double 0x3DE5D7E2DFD02324, double 0xBE5AE5E1F73BF4AB)
  %v85 = tail call double @llvm.fma.f64(double %v84, double %v82, double 0x3EC71DE351EED7F2)
  %v86 = tail call double @llvm.fma.f64(double %v85, double %v82, double 0xBF2A01A019BAD8A1)
  %v87 = tail call double @llvm.fma.f64(double %v86, double %v82, double 0x3F8111111110F573)
  %v88 = tail call double @llvm.fma.f64(double %v87, double %v82, double 0xBFC5555555555547)
  %v89 = fsub double %v49, %v47
  %v90 = fsub double %v49, %v89
  %v91 = fsub double %v47, %v90
  %v92 = fadd double %v48, %v89
  %v93 = fsub double %v91, %v92
  %v94 = fneg double %v48
  %v95 = tail call double @llvm.fma.f64(double %v45, double 0x3C91A62633145C07, double %v94)
  %v96 = fsub double %v93, %v95
  %v97 = tail call double @llvm.fma.f64(double %v46, double 0xB91F1976B7ED9000, double %v96)
  %v98 = fneg double %v79
  %v99 = tail call double @llvm.fma.f64(double %v78, double 0x3FF921FB54442D18, double %v98)
  %v100 = fsub double %v78, %v57
  %v101 = fsub double %v77, %v100
  %v102 = fmul double %v101, 0x3FF921FB54442D18
  %v103 = tail call double @llvm.fma.f64(double %v78, double 0x3C91A62633145C07, double %v102)
  %v104 = fadd double %v99, %v103
  %v105 = select i1 %v13, double %v97, double %v104
  %v106 = tail call double @llvm.fma.f64(double %v83, double %v88, double %v105)
  %v107 = fadd double %v81, %v106
  %v108 = fneg double %v82
  %v109 = fmul double %v82, %v108
  %v110 = tail call double @llvm.fma.f64(double %v82, double 0xBDA8F941EA99C891, double 0x3E21EE9B9E18B408)
  %v111 = tail call double @llvm.fma.f64(double %v110, double %v82, double 0xBE927E4F7C234A35)
  %v112 = tail call double @llvm.fma.f64(double %v111, double %v82, double 0x3EFA01A019C515A1)
  %v113 = tail call double @llvm.fma.f64(double %v112, double %v82, double 0xBF56C16C16C14DC4)
  %v114 = tail call double @llvm.fma.f64(double %v113, double %v82, double 0x3FA555555555554A)
  %v115 = fmul double %v82, 5.000000e-01
  %v116 = tail call double @llvm.fma.f64(double %v109, double %v114, double %v115)
  %v117 = fsub double 1.000000e+00, %v116
  %v118 = select i1 %v44, double %v107, double %v117
  %v119 = bitcast double %v118 to i64
  %v120 = xor i64 %v42, %v119
  %v121 = bitcast i64 %v120 to double
  %v122 = select i1 %v12, double %x, double %v121
  ret double %v122
}

define internal float @m_sin_small_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp oeq float %x, 0.000000e+00
  %v2 = tail call float @llvm.fma.f32(float %x, float 0x3FE45F3060000000, float 0x4168000000000000)
  %v3 = bitcast float %v2 to i32
  %v4 = shl i32 %v3, 30
  %v5 = and i32 %v4, -2147483648
  %v6 = and i32 %v3, 1
  %v7 = icmp eq i32 %v6, 0
  %v8 = fadd float %v2, 0xC168000000000000
  %v9 = fneg float %v8
  %v10 = tail call float @llvm.fma.f32(float %v9, float 0x3FF921FB60000000, float %x)
  %v11 = fmul float %v8, 0xBE6777A5C0000000
  %v12 = fsub float %v10, %v11
  %v13 = fmul float %v12, %v12
  %v14 = fmul float %v12, %v13
  %v15 = tail call float @llvm.fma.f32(float %v13, float 0xBF2991BD40000000, float 0x3F81106C60000000)
  %v16 = tail call float @llvm.fma.f32(float %v15, float %v13, float 0xBFC5555440000000)
  %v17 = fsub float %v12, %v10
  %v18 = fsub float %v12, %v17
  %v19 = fsub float %v10, %v18
  %v20 = fadd float %v11, %v17
  %v21 = fsub float %v19, %v20
  %v22 = fneg float %v11
  %v23 = tail call float @llvm.fma.f32(float %v8, float 0xBE6777A5C0000000, float %v22)
  %v24 = fsub float %v21, %v23
  %v25 = tail call float @llvm.fma.f32(float %v9, float 0xBCDEE59DA0000000, float %v24)
  %v26 = tail call float @llvm.fma.f32(float %v14, float %v16, float %v25)
  %v27 = fadd float %v12, %v26
  %v28 = fneg float %v13
  %v29 = fmul float %v13, %v28
  %v30 = tail call float @llvm.fma.f32(float %v13, float 0x3EF99E0DA0000000, float 0xBF56C0C1A0000000)
  %v31 = tail call float @llvm.fma.f32(float %v30, float %v13, float 0x3FA55554A0000000)
  %v32 = fmul float %v13, 5.000000e-01
  %v33 = tail call float @llvm.fma.f32(float %v29, float %v31, float %v32)
  %v34 = fsub float 1.000000e+00, %v33
  %v35 = select i1 %v7, float %v27, float %v34
  %v36 = bitcast float %v35 to i32
  %v37 = xor i32 %v5, %v36
  %v38 = bitcast i32 %v37 to float
  %v39 = select i1 %v1, float %x, float %v38
  ret float %v39
}

define internal double @m_sin_small_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp oeq double %x, 0.000000e+00
  %v2 = tail call double @llvm.fma.f64(double %x, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v3 = bitcast double %v2 to i64
  %v4 = shl i64 %v3, 62
  %v5 = and i64 %v4, -9223372036854775808
  %v6 = and i64 %v3, 1
  %v7 = icmp eq i64 %v6, 0
  %v8 = fadd double %v2, 0xC338000000000000
  %v9 = fneg double %v8
  %v10 = tail call double @llvm.fma.f64(double %v9, double 0x3FF921FB54442D18, double %x)
  %v11 = fmul double %v8, 0x3C91A62633145C07
  %v12 = fsub double %v10, %v11
  %v13 = fmul double %v12, %v12
  %v14 = fmul double %v12, %v13
  %v15 = tail call double @llvm.fma.f64(double %v13, double 0x3DE5D7E2DFD02324, double 0xBE5AE5E1F73BF4AB)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v13, double 0x3EC71DE351EED7F2)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v13, double 0xBF2A01A019BAD8A1)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v13, double 0x3F8111111110F573)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v13, double 0xBFC5555555555547)
  %v20 = fsub double %v12, %v10
  %v21 = fsub double %v12, %v20
  %v22 = fsub double %v10, %v21
  %v23 = fadd double %v11, %v20
  %v24 = fsub double %v22, %v23
  %v25 = fneg double %v11
  %v26 = tail call double @llvm.fma.f64(double %v8, double 0x3C91A62633145C07, double %v25)
  %v27 = fsub double %v24, %v26
  %v28 = tail call double @llvm.fma.f64(double %v9, double 0xB91F1976B7ED9000, double %v27)
  %v29 = tail call double @llvm.fma.f64(double %v14, double %v19, double %v28)
  %v30 = fadd double %v12, %v29
  %v31 = fneg double %v13
  %v32 = fmul double %v13, %v31
  %v33 = tail call double @llvm.fma.f64(double %v13, double 0xBDA8F941EA99C891, double 0x3E21EE9B9E18B408)
  %v34 = tail call double @llvm.fma.f64(double %v33, double %v13, double 0xBE927E4F7C234A35)
  %v35 = tail call double @llvm.fma.f64(double %v34, double %v13, double 0x3EFA01A019C515A1)
  %v36 = tail call double @llvm.fma.f64(double %v35, double %v13, double 0xBF56C16C16C14DC4)
  %v37 = tail call double @llvm.fma.f64(double %v36, double %v13, double 0x3FA555555555554A)
  %v38 = fmul double %v13, 5.000000e-01
  %v39 = tail call double @llvm.fma.f64(double %v32, double %v37, double %v38)
  %v40 = fsub double 1.000000e+00, %v39
  %v41 = select i1 %v7, double %v30, double %v40
  %v42 = bitcast double %v41 to i64
  %v43 = xor i64 %v5, %v42
  %v44 = bitcast i64 %v43 to double
  %v45 = select i1 %v1, double %x, double %v44
  ret double %v45
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
  br i1 %v2, label %b2, label %b3
b2:
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
  %v25 = bitcast float %v24 to i32
  %v26 = add i32 %v25, -1262485376
  %v27 = lshr i32 %v26, 1
  %v28 = shl i32 %v27, 23
  %v29 = add i32 %v28, 528482304
  %v30 = bitcast i32 %v29 to float
  %v31 = fmul float %v23, %v30
  %v32 = sub i32 %v26, %v27
  %v33 = shl i32 %v32, 23
  %v34 = add i32 %v33, 528482304
  %v35 = bitcast i32 %v34 to float
  %v36 = fmul float %v31, %v35
  %v37 = fdiv float 2.500000e-01, %v36
  %v38 = fsub float %v36, %v37
  br label %b3
b3:
  %v39 = phi float [ %v38, %b2 ], [ %v9, %b1 ]
  %v40 = tail call float @llvm.copysign.f32(float %v39, float %x)
  ret float %v40
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
  br i1 %v2, label %b2, label %b3
b2:
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
  %v35 = bitcast double %v34 to i64
  %v36 = add i64 %v35, -4843621399236967424
  %v37 = lshr i64 %v36, 1
  %v38 = shl i64 %v37, 52
  %v39 = add i64 %v38, 2301339409586323456
  %v40 = bitcast i64 %v39 to double
  %v41 = fmul double %v33, %v40
  %v42 = sub i64 %v36, %v37
  %v43 = shl i64 %v42, 52
  %v44 = add i64 %v43, 2301339409586323456
  %v45 = bitcast i64 %v44 to double
  %v46 = fmul double %v41, %v45
  %v47 = fdiv double 2.500000e-01, %v46
  %v48 = fsub double %v46, %v47
  br label %b3
b3:
  %v49 = phi double [ %v48, %b2 ], [ %v13, %b1 ]
  %v50 = tail call double @llvm.copysign.f64(double %v49, double %x)
  ret double %v50
}

define internal float @m_softplus_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt float %x, 0.000000e+00
  %v2 = select i1 %v1, float 0.000000e+00, float %x
  %v3 = tail call float @llvm.fabs.f32(float %x)
  %v4 = fneg float %v3
  %v5 = fcmp olt float %v4, -1.045000e+02
  %v6 = select i1 %v5, float -1.045000e+02, float %v4
  %v7 = tail call float @llvm.fma.f32(float %v6, float 0x3FF7154760000000, float 0x4168000000000000)
  %v8 = fadd float %v7, 0xC168000000000000
  %v9 = fneg float %v8
  %v10 = tail call float @llvm.fma.f32(float %v9, float 0x3FE62E4000000000, float %v6)
  %v11 = tail call float @llvm.fma.f32(float %v9, float 0x3EB7F7D1C0000000, float %v10)
  %v12 = fmul float %v11, %v11
  %v13 = tail call float @llvm.fma.f32(float %v11, float 0x3F56D12DA0000000, float 0x3F8123A980000000)
  %v14 = tail call float @llvm.fma.f32(float %v13, float %v11, float 0x3FA5555240000000)
  %v15 = tail call float @llvm.fma.f32(float %v14, float %v11, float 0x3FC5554900000000)
  %v16 = tail call float @llvm.fma.f32(float %v15, float %v11, float 5.000000e-01)
  %v17 = tail call float @llvm.fma.f32(float %v12, float %v16, float %v11)
  %v18 = fadd float %v17, 1.000000e+00
  %v19 = bitcast float %v7 to i32
  %v20 = add i32 %v19, -1262485376
  %v21 = lshr i32 %v20, 1
  %v22 = shl i32 %v21, 23
  %v23 = add i32 %v22, 528482304
  %v24 = bitcast i32 %v23 to float
  %v25 = fmul float %v18, %v24
  %v26 = sub i32 %v20, %v21
  %v27 = shl i32 %v26, 23
  %v28 = add i32 %v27, 528482304
  %v29 = bitcast i32 %v28 to float
  %v30 = fmul float %v25, %v29
  %v31 = fadd float %v30, 1.000000e+00
  %v32 = bitcast float %v31 to i32
  %v33 = add i32 %v32, 4913933
  %v34 = lshr i32 %v33, 23
  %v35 = or disjoint i32 %v34, 1258291200
  %v36 = bitcast i32 %v35 to float
  %v37 = fadd float %v36, 0xC160000000000000
  %v38 = fadd float %v37, -1.270000e+02
  %v39 = and i32 %v33, 8388607
  %v40 = add nuw nsw i32 %v39, 1060439283
  %v41 = bitcast i32 %v40 to float
  %v42 = fadd float %v41, -1.000000e+00
  %v43 = fadd float %v31, -1.000000e+00
  %v44 = fsub float %v30, %v43
  %v45 = fcmp ogt float %v37, 2.540000e+02
  %v46 = select i1 %v45, float 2.540000e+02, float %v37
  %v47 = fadd float %v46, 0x4160000000000000
  %v48 = bitcast float %v47 to i32
  %v49 = shl i32 %v48, 23
  %v50 = sub i32 2130706432, %v49
  %v51 = bitcast i32 %v50 to float
  %v52 = fmul float %v44, %v51
  %v53 = fmul float %v42, %v42
  %v54 = fsub float %v53, %v42
  %v55 = fadd float %v42, 2.000000e+00
  %v56 = fdiv float %v42, %v55
  %v57 = fmul float %v56, %v56
  %v58 = tail call float @llvm.fma.f32(float %v57, float 0x3FD31E2840000000, float 0x3FD995ECC0000000)
  %v59 = tail call float @llvm.fma.f32(float %v58, float %v57, float 0x3FE55557A0000000)
  %v60 = fmul float %v53, 5.000000e-01
  %v61 = tail call float @llvm.fma.f32(float %v57, float %v59, float %v60)
  %v62 = tail call float @llvm.fma.f32(float %v38, float 0x3EB7F7D1C0000000, float %v52)
  %v63 = tail call float @llvm.fma.f32(float %v56, float %v61, float %v62)
  %v64 = tail call float @llvm.fma.f32(float %v52, float %v54, float %v63)
  %v65 = fsub float %v64, %v60
  %v66 = fadd float %v42, %v65
  %v67 = tail call float @llvm.fma.f32(float %v38, float 0x3FE62E4000000000, float %v66)
  %v68 = fadd float %v2, %v67
  ret float %v68
}

define internal double @m_softplus_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp olt double %x, 0.000000e+00
  %v2 = select i1 %v1, double 0.000000e+00, double %x
  %v3 = tail call double @llvm.fabs.f64(double %x)
  %v4 = fneg double %v3
  %v5 = fcmp olt double %v4, -7.460000e+02
  %v6 = select i1 %v5, double -7.460000e+02, double %v4
  %v7 = tail call double @llvm.fma.f64(double %v6, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v8 = fadd double %v7, 0xC338000000000000
  %v9 = fneg double %v8
  %v10 = tail call double @llvm.fma.f64(double %v9, double 0x3FE62E42FEFA4000, double %v6)
  %v11 = tail call double @llvm.fma.f64(double %v9, double 0xBD48432A1B0E2634, double %v10)
  %v12 = fmul double %v11, %v11
  %v13 = tail call double @llvm.fma.f64(double %v11, double 0x3E21F71D42520E11, double 0x3E5AF70CBD294C32)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v11, double 0x3E927E4DB81FC5C4)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v11, double 0x3EC71DDED4DF15D0)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v11, double 0x3EFA01A01A70E1D0)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v11, double 0x3F2A01A01B4A1A68)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v11, double 0x3F56C16C16C1618C)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v11, double 0x3F8111111110E966)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v11, double 0x3FA5555555555556)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v11, double 0x3FC555555555555C)
  %v22 = tail call double @llvm.fma.f64(double %v21, double %v11, double 5.000000e-01)
  %v23 = tail call double @llvm.fma.f64(double %v12, double %v22, double %v11)
  %v24 = fadd double %v23, 1.000000e+00
  %v25 = bitcast double %v7 to i64
  %v26 = add i64 %v25, -4843621399236967424
  %v27 = lshr i64 %v26, 1
  %v28 = shl i64 %v27, 52
  %v29 = add i64 %v28, 2301339409586323456
  %v30 = bitcast i64 %v29 to double
  %v31 = fmul double %v24, %v30
  %v32 = sub i64 %v26, %v27
  %v33 = shl i64 %v32, 52
  %v34 = add i64 %v33, 2301339409586323456
  %v35 = bitcast i64 %v34 to double
  %v36 = fmul double %v31, %v35
  %v37 = fadd double %v36, 1.000000e+00
  %v38 = bitcast double %v37 to i64
  %v39 = add i64 %v38, 2638147582215219
  %v40 = lshr i64 %v39, 52
  %v41 = or disjoint i64 %v40, 4841369599423283200
  %v42 = bitcast i64 %v41 to double
  %v43 = fadd double %v42, 0xC330000000000000
  %v44 = fadd double %v43, -1.023000e+03
  %v45 = and i64 %v39, 4503599627370495
  %v46 = add nuw nsw i64 %v45, 4604544271217802189
  %v47 = bitcast i64 %v46 to double
  %v48 = fadd double %v47, -1.000000e+00
  %v49 = fadd double %v37, -1.000000e+00
  %v50 = fsub double %v36, %v49
  %v51 = fcmp ogt double %v43, 2.046000e+03
  %v52 = select i1 %v51, double 2.046000e+03, double %v43
  %v53 = fadd double %v52, 0x4330000000000000
  %v54 = bitcast double %v53 to i64
  %v55 = shl i64 %v54, 52
  %v56 = sub i64 9214364837600034816, %v55
  %v57 = bitcast i64 %v56 to double
  %v58 = fmul double %v50, %v57
  %v59 = fmul double %v48, %v48
  %v60 = fsub double %v59, %v48
  %v61 = fadd double %v48, 2.000000e+00
  %v62 = fdiv double %v48, %v61
  %v63 = fmul double %v62, %v62
  %v64 = tail call double @llvm.fma.f64(double %v63, double 0x3FC2F123D4CA6552, double 0x3FC39A084AF53EB0)
  %v65 = tail call double @llvm.fma.f64(double %v64, double %v63, double 0x3FC74664A41971F1)
  %v66 = tail call double @llvm.fma.f64(double %v65, double %v63, double 0x3FCC71C51D57B847)
  %v67 = tail call double @llvm.fma.f64(double %v66, double %v63, double 0x3FD249249422C781)
  %v68 = tail call double @llvm.fma.f64(double %v67, double %v63, double 0x3FD999999997F9E0)
  %v69 = tail call double @llvm.fma.f64(double %v68, double %v63, double 0x3FE5555555555593)
  %v70 = fmul double %v59, 5.000000e-01
  %v71 = tail call double @llvm.fma.f64(double %v63, double %v69, double %v70)
  %v72 = tail call double @llvm.fma.f64(double %v44, double 0xBD48432A1B0E2634, double %v58)
  %v73 = tail call double @llvm.fma.f64(double %v62, double %v71, double %v72)
  %v74 = tail call double @llvm.fma.f64(double %v58, double %v60, double %v73)
  %v75 = fsub double %v74, %v70
  %v76 = fadd double %v48, %v75
  %v77 = tail call double @llvm.fma.f64(double %v44, double 0x3FE62E42FEFA4000, double %v76)
  %v78 = fadd double %v2, %v77
  ret double %v78
}

define internal float @m_sqrt_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.sqrt.f32(float %x)
  ret float %v1
}

define internal double @m_sqrt_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.sqrt.f64(double %x)
  ret double %v1
}

define internal float @m_tan_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = bitcast float %v1 to i32
  %v3 = lshr i32 %v2, 23
  %v4 = tail call i32 @llvm.usub.sat.i32(i32 %v3, i32 127)
  %v5 = tail call i32 @llvm.umin.i32(i32 %v4, i32 127)
  %v6 = zext nneg i32 %v5 to i64
  %v7 = getelementptr float, ptr @t_8299d0e7d20d, i64 %v6
  %v8 = load float, ptr %v7, align 4
  %v9 = getelementptr float, ptr @t_0f89f25d59ce, i64 %v6
  %v10 = load float, ptr %v9, align 4
  %v11 = getelementptr float, ptr @t_be83847ff80a, i64 %v6
  %v12 = load float, ptr %v11, align 4
  %v13 = fcmp oeq float %x, 0.000000e+00
  %v14 = fcmp ole float %v1, 1.310720e+05
  %v15 = tail call float @llvm.fma.f32(float %x, float 0x3FE45F3060000000, float 0x4168000000000000)
  %v16 = and i32 %v2, 8388607
  %v17 = or disjoint i32 %v16, 1258291200
  %v18 = bitcast i32 %v17 to float
  %v19 = tail call float @llvm.copysign.f32(float %v18, float %x)
  %v20 = fmul float %v19, %v8
  %v21 = fmul float %v20, 2.500000e-01
  %v22 = tail call float @llvm.roundeven.f32(float %v21)
  %v23 = fmul float %v22, 4.000000e+00
  %v24 = fsub float %v20, %v23
  %v25 = fneg float %v20
  %v26 = tail call float @llvm.fma.f32(float %v19, float %v8, float %v25)
  %v27 = fmul float %v26, 2.500000e-01
  %v28 = tail call float @llvm.roundeven.f32(float %v27)
  %v29 = fmul float %v28, 4.000000e+00
  %v30 = fsub float %v26, %v29
  %v31 = fadd float %v24, %v30
  %v32 = fmul float %v19, %v10
  %v33 = fmul float %v32, 2.500000e-01
  %v34 = tail call float @llvm.roundeven.f32(float %v33)
  %v35 = fmul float %v34, 4.000000e+00
  %v36 = fsub float %v32, %v35
  %v37 = fadd float %v36, %v31
  %v38 = tail call float @llvm.roundeven.f32(float %v37)
  %v39 = fadd float %v38, 0x4168000000000000
  %v40 = select i1 %v14, float %v15, float %v39
  %v41 = bitcast float %v40 to i32
  %v42 = and i32 %v41, 1
  %v43 = icmp eq i32 %v42, 0
  %v44 = fadd float %v15, 0xC168000000000000
  %v45 = fneg float %v44
  %v46 = tail call float @llvm.fma.f32(float %v45, float 0x3FF921FB60000000, float %x)
  %v47 = fmul float %v44, 0xBE6777A5C0000000
  %v48 = fsub float %v46, %v47
  %v49 = fcmp one float %v1, 0x7FF0000000000000
  %v50 = fsub float %v31, %v38
  %v51 = fadd float %v36, %v50
  %v52 = fneg float %v32
  %v53 = tail call float @llvm.fma.f32(float %v19, float %v10, float %v52)
  %v54 = fadd float %v53, %v51
  %v55 = fmul float %v19, %v12
  %v56 = fadd float %v55, %v54
  %v57 = fsub float %v51, %v50
  %v58 = fsub float %v51, %v57
  %v59 = fsub float %v50, %v58
  %v60 = fsub float %v36, %v57
  %v61 = fadd float %v60, %v59
  %v62 = fsub float %v54, %v51
  %v63 = fsub float %v54, %v62
  %v64 = fsub float %v51, %v63
  %v65 = fsub float %v53, %v62
  %v66 = fadd float %v65, %v64
  %v67 = fadd float %v61, %v66
  %v68 = fsub float %v56, %v54
  %v69 = fsub float %v56, %v68
  %v70 = fsub float %v54, %v69
  %v71 = fsub float %v55, %v68
  %v72 = fadd float %v71, %v70
  %v73 = fadd float %v67, %v72
  %v74 = fneg float %v55
  %v75 = tail call float @llvm.fma.f32(float %v19, float %v12, float %v74)
  %v76 = fadd float %v75, %v73
  %v77 = fadd float %v56, %v76
  %v78 = fmul float %v77, 0x3FF921FB60000000
  %v79 = select i1 %v49, float %v78, float 0x7FF8000000000000
  %v80 = select i1 %v14, float %v48, float %v79
  %v81 = fmul float %v80, %v80
  %v82 = fmul float %v80, %v81
  %v83 = tail call float @llvm.fma.f32(float %v81, float 0x3F725B4120000000, float 0xBF1F2253E0000000)
  %v84 = tail call float @llvm.fma.f32(float %v83, float %v81, float 0x3F8684D5E0000000)
  %v85 = tail call float @llvm.fma.f32(float %v84, float %v81, float 0x3F95BB6100000000)
  %v86 = tail call float @llvm.fma.f32(float %v85, float %v81, float 0x3FABAF3100000000)
  %v87 = tail call float @llvm.fma.f32(float %v86, float %v81, float 0x3FC110D120000000)
  %v88 = tail call float @llvm.fma.f32(float %v87, float %v81, float 0x3FD5555620000000)
  %v89 = fmul float %v82, %v88
  %v90 = fadd float %v80, %v89
  %v91 = fsub float %v48, %v46
  %v92 = fsub float %v48, %v91
  %v93 = fsub float %v46, %v92
  %v94 = fadd float %v47, %v91
  %v95 = fsub float %v93, %v94
  %v96 = fneg float %v47
  %v97 = tail call float @llvm.fma.f32(float %v44, float 0xBE6777A5C0000000, float %v96)
  %v98 = fsub float %v95, %v97
  %v99 = tail call float @llvm.fma.f32(float %v45, float 0xBCDEE59DA0000000, float %v98)
  %v100 = fneg float %v78
  %v101 = tail call float @llvm.fma.f32(float %v77, float 0x3FF921FB60000000, float %v100)
  %v102 = fsub float %v77, %v56
  %v103 = fsub float %v76, %v102
  %v104 = fmul float %v103, 0x3FF921FB60000000
  %v105 = tail call float @llvm.fma.f32(float %v77, float 0xBE6777A5C0000000, float %v104)
  %v106 = fadd float %v101, %v105
  %v107 = select i1 %v14, float %v99, float %v106
  %v108 = tail call float @llvm.fma.f32(float %v90, float %v90, float 1.000000e+00)
  %v109 = fsub float %v90, %v80
  %v110 = fsub float %v89, %v109
  %v111 = tail call float @llvm.fma.f32(float %v107, float %v108, float %v110)
  %v112 = fadd float %v90, %v111
  %v113 = fdiv float -1.000000e+00, %v90
  %v114 = tail call float @llvm.fma.f32(float %v113, float %v90, float 1.000000e+00)
  %v115 = tail call float @llvm.fma.f32(float %v113, float %v111, float %v114)
  %v116 = tail call float @llvm.fma.f32(float %v113, float %v115, float %v113)
  %v117 = select i1 %v43, float %v112, float %v116
  %v118 = select i1 %v13, float %x, float %v117
  ret float %v118
}

define internal double @m_tan_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = bitcast double %v1 to i64
  %v3 = lshr i64 %v2, 52
  %v4 = tail call i64 @llvm.usub.sat.i64(i64 %v3, i64 1023)
  %v5 = tail call i64 @llvm.umin.i64(i64 %v4, i64 1023)
  %v6 = getelementptr double, ptr @t_811810fe58b0, i64 %v5
  %v7 = load double, ptr %v6, align 8
  %v8 = getelementptr double, ptr @t_2dd00f76f2e8, i64 %v5
  %v9 = load double, ptr %v8, align 8
  %v10 = getelementptr double, ptr @t_d4ec6e104c63, i64 %v5
  %v11 = load double, ptr %v10, align 8
  %v12 = fcmp oeq double %x, 0.000000e+00
  %v13 = fcmp ole double %v1, 0x4270000000000000
  %v14 = tail call double @llvm.fma.f64(double %x, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v15 = and i64 %v2, 4503599627370495
  %v16 = or disjoint i64 %v15, 4841369599423283200
  %v17 = bitcast i64 %v16 to double
  %v18 = tail call double @llvm.copysign.f64(double %v17, double %x)
  %v19 = fmul double %v18, %v7
  %v20 = fmul double %v19, 2.500000e-01
  %v21 = tail call double @llvm.roundeven.f64(double %v20)
  %v22 = fmul double %v21, 4.000000e+00
  %v23 = fsub double %v19, %v22
  %v24 = fneg double %v19
  %v25 = tail call double @llvm.fma.f64(double %v18, double %v7, double %v24)
  %v26 = fmul double %v25, 2.500000e-01
  %v27 = tail call double @llvm.roundeven.f64(double %v26)
  %v28 = fmul double %v27, 4.000000e+00
  %v29 = fsub double %v25, %v28
  %v30 = fadd double %v23, %v29
  %v31 = fmul double %v18, %v9
  %v32 = fmul double %v31, 2.500000e-01
  %v33 = tail call double @llvm.roundeven.f64(double %v32)
  %v34 = fmul double %v33, 4.000000e+00
  %v35 = fsub double %v31, %v34
  %v36 = fadd double %v35, %v30
  %v37 = tail call double @llvm.roundeven.f64(double %v36)
  %v38 = fadd double %v37, 0x4338000000000000
  %v39 = select i1 %v13, double %v14, double %v38
  %v40 = bitcast double %v39 to i64
  %v41 = and i64 %v40, 1
  %v42 = icmp eq i64 %v41, 0
  %v43 = fadd double %v14, 0xC338000000000000
  %v44 = fneg double %v43
  %v45 = tail call double @llvm.fma.f64(double %v44, double 0x3FF921FB54442D18, double %x)
  %v46 = fmul double %v43, 0x3C91A62633145C07
  %v47 = fsub double %v45, %v46
  %v48 = fcmp one double %v1, 0x7FF0000000000000
  %v49 = fsub double %v30, %v37
  %v50 = fadd double %v35, %v49
  %v51 = fneg double %v31
  %v52 = tail call double @llvm.fma.f64(double %v18, double %v9, double %v51)
  %v53 = fadd double %v52, %v50
  %v54 = fmul double %v18, %v11
  %v55 = fadd double %v54, %v53
  %v56 = fsub double %v50, %v49
  %v57 = fsub double %v50, %v56
  %v58 = fsub double %v49, %v57
  %v59 = fsub double %v35, %v56
  %v60 = fadd double %v59, %v58
  %v61 = fsub double %v53, %v50
  %v62 = fsub double %v53, %v61
  %v63 = fsub double %v50, %v62
  %v64 = fsub double %v52, %v61
  %v65 = fadd double %v64, %v63
  %v66 = fadd double %v60, %v65
  %v67 = fsub double %v55, %v53
  %v68 = fsub double %v55, %v67
  %v69 = fsub double %v53, %v68
  %v70 = fsub double %v54, %v67
  %v71 = fadd double %v70, %v69
  %v72 = fadd double %v66, %v71
  %v73 = fneg double %v54
  %v74 = tail call double @llvm.fma.f64(double %v18, double %v11, double %v73)
  %v75 = fadd double %v74, %v72
  %v76 = fadd double %v55, %v75
  %v77 = fmul double %v76, 0x3FF921FB54442D18
  %v78 = select i1 %v48, double %v77, double 0x7FF8000000000000
  %v79 = select i1 %v13, double %v47, double %v78
  %v80 = fmul double %v79, %v79
  %v81 = fmul double %v79, %v80
  %v82 = tail call double @llvm.fma.f64(double %v80, double 0x3EE5759299B92C5A, double 0xBEFB7F7AA114A3CF)
  %v83 = tail call double @llvm.fma.f64(double %v82, double %v80, double 0x3F0B909B210979E0)
  %v84 = tail call double @llvm.fma.f64(double %v83, double %v80, double 0xBEFFD44B7EFC6BDB)
  %v85 = tail call double @llvm.fma.f64(double %v84, double %v80, double 0x3F1299A9B3083AC9)
  %v86 = tail call double @llvm.fma.f64(double %v85, double %v80, double 0x3F155E07901CAB29)
  %v87 = tail call double @llvm.fma.f64(double %v86, double %v80, double 0x3F3006E60E1DB54F)
  %v88 = tail call double @llvm.fma.f64(double %v87, double %v80, double 0x3F4349DEBFE3976F)
  %v89 = tail call double @llvm.fma.f64(double %v88, double %v80, double 0x3F57DB49588EA3CA)
  %v90 = tail call double @llvm.fma.f64(double %v89, double %v80, double 0x3F6D6D2B11FC2E19)
  %v91 = tail call double @llvm.fma.f64(double %v90, double %v80, double 0x3F8226E3BD065FDF)
  %v92 = tail call double @llvm.fma.f64(double %v91, double %v80, double 0x3F9664F4852C1407)
  %v93 = tail call double @llvm.fma.f64(double %v92, double %v80, double 0x3FABA1BA1BAF01E9)
  %v94 = tail call double @llvm.fma.f64(double %v93, double %v80, double 0x3FC111111111022F)
  %v95 = tail call double @llvm.fma.f64(double %v94, double %v80, double 0x3FD5555555555561)
  %v96 = fmul double %v81, %v95
  %v97 = fadd double %v79, %v96
  %v98 = fsub double %v47, %v45
  %v99 = fsub double %v47, %v98
  %v100 = fsub double %v45, %v99
  %v101 = fadd double %v46, %v98
  %v102 = fsub double %v100, %v101
  %v103 = fneg double %v46
  %v104 = tail call double @llvm.fma.f64(double %v43, double 0x3C91A62633145C07, double %v103)
  %v105 = fsub double %v102, %v104
  %v106 = tail call double @llvm.fma.f64(double %v44, double 0xB91F1976B7ED9000, double %v105)
  %v107 = fneg double %v77
  %v108 = tail call double @llvm.fma.f64(double %v76, double 0x3FF921FB54442D18, double %v107)
  %v109 = fsub double %v76, %v55
  %v110 = fsub double %v75, %v109
  %v111 = fmul double %v110, 0x3FF921FB54442D18
  %v112 = tail call double @llvm.fma.f64(double %v76, double 0x3C91A62633145C07, double %v111)
  %v113 = fadd double %v108, %v112
  %v114 = select i1 %v13, double %v106, double %v113
  %v115 = tail call double @llvm.fma.f64(double %v97, double %v97, double 1.000000e+00)
  %v116 = fsub double %v97, %v79
  %v117 = fsub double %v96, %v116
  %v118 = tail call double @llvm.fma.f64(double %v114, double %v115, double %v117)
  %v119 = fadd double %v97, %v118
  %v120 = fdiv double -1.000000e+00, %v97
  %v121 = tail call double @llvm.fma.f64(double %v120, double %v97, double 1.000000e+00)
  %v122 = tail call double @llvm.fma.f64(double %v120, double %v118, double %v121)
  %v123 = tail call double @llvm.fma.f64(double %v120, double %v122, double %v120)
  %v124 = select i1 %v42, double %v119, double %v123
  %v125 = select i1 %v12, double %x, double %v124
  ret double %v125
}

define internal float @m_tan_small_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = fcmp oeq float %x, 0.000000e+00
  %v2 = tail call float @llvm.fma.f32(float %x, float 0x3FE45F3060000000, float 0x4168000000000000)
  %v3 = bitcast float %v2 to i32
  %v4 = and i32 %v3, 1
  %v5 = icmp eq i32 %v4, 0
  %v6 = fadd float %v2, 0xC168000000000000
  %v7 = fneg float %v6
  %v8 = tail call float @llvm.fma.f32(float %v7, float 0x3FF921FB60000000, float %x)
  %v9 = fmul float %v6, 0xBE6777A5C0000000
  %v10 = fsub float %v8, %v9
  %v11 = fmul float %v10, %v10
  %v12 = fmul float %v10, %v11
  %v13 = tail call float @llvm.fma.f32(float %v11, float 0x3F725B4120000000, float 0xBF1F2253E0000000)
  %v14 = tail call float @llvm.fma.f32(float %v13, float %v11, float 0x3F8684D5E0000000)
  %v15 = tail call float @llvm.fma.f32(float %v14, float %v11, float 0x3F95BB6100000000)
  %v16 = tail call float @llvm.fma.f32(float %v15, float %v11, float 0x3FABAF3100000000)
  %v17 = tail call float @llvm.fma.f32(float %v16, float %v11, float 0x3FC110D120000000)
  %v18 = tail call float @llvm.fma.f32(float %v17, float %v11, float 0x3FD5555620000000)
  %v19 = fmul float %v12, %v18
  %v20 = fadd float %v10, %v19
  %v21 = fsub float %v10, %v8
  %v22 = fsub float %v10, %v21
  %v23 = fsub float %v8, %v22
  %v24 = fadd float %v9, %v21
  %v25 = fsub float %v23, %v24
  %v26 = fneg float %v9
  %v27 = tail call float @llvm.fma.f32(float %v6, float 0xBE6777A5C0000000, float %v26)
  %v28 = fsub float %v25, %v27
  %v29 = tail call float @llvm.fma.f32(float %v7, float 0xBCDEE59DA0000000, float %v28)
  %v30 = tail call float @llvm.fma.f32(float %v20, float %v20, float 1.000000e+00)
  %v31 = fsub float %v20, %v10
  %v32 = fsub float %v19, %v31
  %v33 = tail call float @llvm.fma.f32(float %v29, float %v30, float %v32)
  %v34 = fadd float %v20, %v33
  %v35 = fdiv float -1.000000e+00, %v20
  %v36 = tail call float @llvm.fma.f32(float %v35, float %v20, float 1.000000e+00)
  %v37 = tail call float @llvm.fma.f32(float %v35, float %v33, float %v36)
  %v38 = tail call float @llvm.fma.f32(float %v35, float %v37, float %v35)
  %v39 = select i1 %v5, float %v34, float %v38
  %v40 = select i1 %v1, float %x, float %v39
  ret float %v40
}

define internal double @m_tan_small_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = fcmp oeq double %x, 0.000000e+00
  %v2 = tail call double @llvm.fma.f64(double %x, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v3 = bitcast double %v2 to i64
  %v4 = and i64 %v3, 1
  %v5 = icmp eq i64 %v4, 0
  %v6 = fadd double %v2, 0xC338000000000000
  %v7 = fneg double %v6
  %v8 = tail call double @llvm.fma.f64(double %v7, double 0x3FF921FB54442D18, double %x)
  %v9 = fmul double %v6, 0x3C91A62633145C07
  %v10 = fsub double %v8, %v9
  %v11 = fmul double %v10, %v10
  %v12 = fmul double %v10, %v11
  %v13 = tail call double @llvm.fma.f64(double %v11, double 0x3EE5759299B92C5A, double 0xBEFB7F7AA114A3CF)
  %v14 = tail call double @llvm.fma.f64(double %v13, double %v11, double 0x3F0B909B210979E0)
  %v15 = tail call double @llvm.fma.f64(double %v14, double %v11, double 0xBEFFD44B7EFC6BDB)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v11, double 0x3F1299A9B3083AC9)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v11, double 0x3F155E07901CAB29)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v11, double 0x3F3006E60E1DB54F)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v11, double 0x3F4349DEBFE3976F)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v11, double 0x3F57DB49588EA3CA)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v11, double 0x3F6D6D2B11FC2E19)
  %v22 = tail call double @llvm.fma.f64(double %v21, double %v11, double 0x3F8226E3BD065FDF)
  %v23 = tail call double @llvm.fma.f64(double %v22, double %v11, double 0x3F9664F4852C1407)
  %v24 = tail call double @llvm.fma.f64(double %v23, double %v11, double 0x3FABA1BA1BAF01E9)
  %v25 = tail call double @llvm.fma.f64(double %v24, double %v11, double 0x3FC111111111022F)
  %v26 = tail call double @llvm.fma.f64(double %v25, double %v11, double 0x3FD5555555555561)
  %v27 = fmul double %v12, %v26
  %v28 = fadd double %v10, %v27
  %v29 = fsub double %v10, %v8
  %v30 = fsub double %v10, %v29
  %v31 = fsub double %v8, %v30
  %v32 = fadd double %v9, %v29
  %v33 = fsub double %v31, %v32
  %v34 = fneg double %v9
  %v35 = tail call double @llvm.fma.f64(double %v6, double 0x3C91A62633145C07, double %v34)
  %v36 = fsub double %v33, %v35
  %v37 = tail call double @llvm.fma.f64(double %v7, double 0xB91F1976B7ED9000, double %v36)
  %v38 = tail call double @llvm.fma.f64(double %v28, double %v28, double 1.000000e+00)
  %v39 = fsub double %v28, %v10
  %v40 = fsub double %v27, %v39
  %v41 = tail call double @llvm.fma.f64(double %v37, double %v38, double %v40)
  %v42 = fadd double %v28, %v41
  %v43 = fdiv double -1.000000e+00, %v28
  %v44 = tail call double @llvm.fma.f64(double %v43, double %v28, double 1.000000e+00)
  %v45 = tail call double @llvm.fma.f64(double %v43, double %v41, double %v44)
  %v46 = tail call double @llvm.fma.f64(double %v43, double %v45, double %v43)
  %v47 = select i1 %v5, double %v42, double %v46
  %v48 = select i1 %v1, double %x, double %v47
  ret double %v48
}

define internal float @m_tanh_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.fabs.f32(float %x)
  %v2 = fcmp ogt float %v1, 1.000000e+01
  %v3 = select i1 %v2, float 1.000000e+01, float %v1
  %v4 = fadd float %v3, %v3
  %v5 = tail call float @llvm.fma.f32(float %v4, float 0x3FF7154760000000, float 0x4168000000000000)
  %v6 = bitcast float %v5 to i32
  %v7 = shl i32 %v6, 23
  %v8 = add i32 %v7, 1065353216
  %v9 = bitcast i32 %v8 to float
  %v10 = fadd float %v5, 0xC168000000000000
  %v11 = fneg float %v10
  %v12 = tail call float @llvm.fma.f32(float %v11, float 0x3FE62E4000000000, float %v4)
  %v13 = tail call float @llvm.fma.f32(float %v11, float 0x3EB7F7D1C0000000, float %v12)
  %v14 = fmul float %v13, %v13
  %v15 = tail call float @llvm.fma.f32(float %v13, float 0x3F2A1E7460000000, float 0x3F56D3AE60000000)
  %v16 = tail call float @llvm.fma.f32(float %v15, float %v13, float 0x3F81110300000000)
  %v17 = tail call float @llvm.fma.f32(float %v16, float %v13, float 0x3FA5554F80000000)
  %v18 = tail call float @llvm.fma.f32(float %v17, float %v13, float 0x3FC5555560000000)
  %v19 = tail call float @llvm.fma.f32(float %v18, float %v13, float 5.000000e-01)
  %v20 = tail call float @llvm.fma.f32(float %v14, float %v19, float %v13)
  %v21 = fadd float %v9, -1.000000e+00
  %v22 = tail call float @llvm.fma.f32(float %v9, float %v20, float %v21)
  %v23 = fadd float %v22, 2.000000e+00
  %v24 = fdiv float %v22, %v23
  %v25 = tail call float @llvm.copysign.f32(float %v24, float %x)
  ret float %v25
}

define internal double @m_tanh_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.fabs.f64(double %x)
  %v2 = fcmp ogt double %v1, 2.000000e+01
  %v3 = select i1 %v2, double 2.000000e+01, double %v1
  %v4 = fadd double %v3, %v3
  %v5 = tail call double @llvm.fma.f64(double %v4, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %v6 = bitcast double %v5 to i64
  %v7 = shl i64 %v6, 52
  %v8 = add i64 %v7, 4607182418800017408
  %v9 = bitcast i64 %v8 to double
  %v10 = fadd double %v5, 0xC338000000000000
  %v11 = fneg double %v10
  %v12 = tail call double @llvm.fma.f64(double %v11, double 0x3FE62E42FEFA4000, double %v4)
  %v13 = tail call double @llvm.fma.f64(double %v11, double 0xBD48432A1B0E2634, double %v12)
  %v14 = fmul double %v13, %v13
  %v15 = tail call double @llvm.fma.f64(double %v13, double 0x3E21F670D8C98203, double 0x3E5AF611187B9883)
  %v16 = tail call double @llvm.fma.f64(double %v15, double %v13, double 0x3E927E4E07BAF98B)
  %v17 = tail call double @llvm.fma.f64(double %v16, double %v13, double 0x3EC71DDF730993C8)
  %v18 = tail call double @llvm.fma.f64(double %v17, double %v13, double 0x3EFA01A01A5A5F6A)
  %v19 = tail call double @llvm.fma.f64(double %v18, double %v13, double 0x3F2A01A01B04212C)
  %v20 = tail call double @llvm.fma.f64(double %v19, double %v13, double 0x3F56C16C16C16369)
  %v21 = tail call double @llvm.fma.f64(double %v20, double %v13, double 0x3F8111111110F603)
  %v22 = tail call double @llvm.fma.f64(double %v21, double %v13, double 0x3FA5555555555556)
  %v23 = tail call double @llvm.fma.f64(double %v22, double %v13, double 0x3FC5555555555559)
  %v24 = tail call double @llvm.fma.f64(double %v23, double %v13, double 5.000000e-01)
  %v25 = tail call double @llvm.fma.f64(double %v14, double %v24, double %v13)
  %v26 = fadd double %v9, -1.000000e+00
  %v27 = tail call double @llvm.fma.f64(double %v9, double %v25, double %v26)
  %v28 = fadd double %v27, 2.000000e+00
  %v29 = fdiv double %v27, %v28
  %v30 = tail call double @llvm.copysign.f64(double %v29, double %x)
  ret double %v30
}

define internal float @m_trigamma_float32(float %x) nounwind {
b1:
  %v1 = fpext float %x to double
  %v2 = fcmp ugt float %x, 0.000000e+00
  br i1 %v2, label %b4, label %b2
b2:
  %v3 = fcmp oeq float %x, 0xFFF0000000000000
  br i1 %v3, label %b10, label %b3
b3:
  %v4 = tail call double @llvm.floor.f64(double %v1)
  %v5 = fcmp oeq double %v4, %v1
  br i1 %v5, label %b10, label %b7
b4:
  %v6 = phi double [ %v7, %b9 ], [ %v1, %b1 ]
  %v8 = phi double [ %v9, %b9 ], [ 0.000000e+00, %b1 ]
  %v10 = phi double [ -1.000000e+00, %b9 ], [ 1.000000e+00, %b1 ]
  %v11 = fcmp olt double %v6, 1.000000e+01
  br i1 %v11, label %b5, label %b6
b5:
  %v12 = phi double [ %v13, %b5 ], [ %v6, %b4 ]
  %v14 = phi double [ %v15, %b5 ], [ %v8, %b4 ]
  %v16 = fmul double %v12, %v12
  %v17 = fdiv double %v10, %v16
  %v15 = fadd double %v14, %v17
  %v13 = fadd double %v12, 1.000000e+00
  %v18 = fcmp olt double %v13, 1.000000e+01
  br i1 %v18, label %b5, label %b6
b6:
  %v19 = phi double [ %v6, %b4 ], [ %v13, %b5 ]
  %v20 = phi double [ %v8, %b4 ], [ %v15, %b5 ]
  %v21 = fmul double %v19, %v19
  %v22 = fdiv double 1.000000e+00, %v21
  %v23 = fdiv double 1.000000e+00, %v19
  %v24 = fmul double %v22, 5.000000e-01
  %v25 = fadd double %v23, %v24
  %v26 = fdiv double %v22, %v19
  %v27 = tail call double @llvm.fma.f64(double %v22, double 0xC01C5E5E5E5E5E5E, double 0x3FF2AAAAAAAAAAAB)
  %v28 = tail call double @llvm.fma.f64(double %v27, double %v22, double 0xBFD0330330330330)
  %v29 = tail call double @llvm.fma.f64(double %v28, double %v22, double 0x3FB364D9364D9365)
  %v30 = tail call double @llvm.fma.f64(double %v29, double %v22, double 0xBFA1111111111111)
  %v31 = tail call double @llvm.fma.f64(double %v30, double %v22, double 0x3F98618618618618)
  %v32 = tail call double @llvm.fma.f64(double %v31, double %v22, double 0xBFA1111111111111)
  %v33 = tail call double @llvm.fma.f64(double %v32, double %v22, double 0x3FC5555555555555)
  %v34 = fmul double %v26, %v33
  %v35 = fadd double %v25, %v34
  %v36 = fmul double %v10, %v35
  %v37 = fadd double %v20, %v36
  %v38 = fptrunc double %v37 to float
  br label %b10
b7:
  %v39 = tail call double @llvm.roundeven.f64(double %v1)
  %v40 = fsub double %v1, %v39
  %v41 = fmul double %v40, 0x400921FB54442D18
  %v42 = fcmp oeq double %v41, 0.000000e+00
  %v43 = tail call double @llvm.fma.f64(double %v41, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v44 = bitcast double %v43 to i64
  %v45 = shl i64 %v44, 62
  %v46 = and i64 %v45, -9223372036854775808
  %v47 = and i64 %v44, 1
  %v48 = icmp eq i64 %v47, 0
  %v49 = fadd double %v43, 0xC338000000000000
  %v50 = fneg double %v49
  %v51 = tail call double @llvm.fma.f64(double %v50, double 0x3FF921FB54442D18, double %v41)
  %v52 = fmul double %v49, 0x3C91A62633145C07
  %v53 = fsub double %v51, %v52
  %v54 = fmul double %v53, %v53
  %v55 = fmul double %v53, %v54
  %v56 = tail call double @llvm.fma.f64(double %v54, double 0x3DE5D7E2DFD02324, double 0xBE5AE5E1F73BF4AB)
  %v57 = tail call double @llvm.fma.f64(double %v56, double %v54, double 0x3EC71DE351EED7F2)
  %v58 = tail call double @llvm.fma.f64(double %v57, double %v54, double 0xBF2A01A019BAD8A1)
  %v59 = tail call double @llvm.fma.f64(double %v58, double %v54, double 0x3F8111111110F573)
  %v60 = tail call double @llvm.fma.f64(double %v59, double %v54, double 0xBFC5555555555547)
  %v61 = fsub double %v53, %v51
  %v62 = fsub double %v53, %v61
  %v63 = fsub double %v51, %v62
  %v64 = fadd double %v52, %v61
  %v65 = fsub double %v63, %v64
  %v66 = fneg double %v52
  %v67 = tail call double @llvm.fma.f64(double %v49, double 0x3C91A62633145C07, double %v66)
  %v68 = fsub double %v65, %v67
  %v69 = tail call double @llvm.fma.f64(double %v50, double 0xB91F1976B7ED9000, double %v68)
  %v70 = tail call double @llvm.fma.f64(double %v55, double %v60, double %v69)
  %v71 = fadd double %v53, %v70
  %v72 = fneg double %v54
  %v73 = fmul double %v54, %v72
  %v74 = tail call double @llvm.fma.f64(double %v54, double 0xBDA8F941EA99C891, double 0x3E21EE9B9E18B408)
  %v75 = tail call double @llvm.fma.f64(double %v74, double %v54, double 0xBE927E4F7C234A35)
  %v76 = tail call double @llvm.fma.f64(double %v75, double %v54, double 0x3EFA01A019C515A1)
  %v77 = tail call double @llvm.fma.f64(double %v76, double %v54, double 0xBF56C16C16C14DC4)
  %v78 = tail call double @llvm.fma.f64(double %v77, double %v54, double 0x3FA555555555554A)
  %v79 = fmul double %v54, 5.000000e-01
  %v80 = tail call double @llvm.fma.f64(double %v73, double %v78, double %v79)
  %v81 = fsub double 1.000000e+00, %v80
  %v82 = select i1 %v48, double %v71, double %v81
  %v83 = bitcast double %v82 to i64
  %v84 = xor i64 %v46, %v83
  %v85 = bitcast i64 %v84 to double
  %v86 = select i1 %v42, double %v41, double %v85
  %v87 = tail call double @llvm.fabs.f64(double %v86)
  %v88 = fdiv double 0x400921FB54442D18, %v87
  br label %b8
b8:
  %v89 = phi double [ %v9, %b8 ], [ 1.000000e+00, %b7 ]
  %v90 = phi double [ %v91, %b8 ], [ %v88, %b7 ]
  %v92 = phi i64 [ %v93, %b8 ], [ 2, %b7 ]
  %v94 = and i64 %v92, 1
  %v95 = icmp eq i64 %v94, 0
  %v96 = fmul double %v89, %v90
  %v9 = select i1 %v95, double %v89, double %v96
  %v93 = lshr i64 %v92, 1
  %v91 = fmul double %v90, %v90
  %v97 = icmp eq i64 %v93, 0
  br i1 %v97, label %b9, label %b8
b9:
  %v7 = fsub double 1.000000e+00, %v1
  br label %b4
b10:
  %v98 = phi float [ %v38, %b6 ], [ 0x7FF8000000000000, %b2 ], [ 0x7FF0000000000000, %b3 ]
  ret float %v98
}

define internal double @m_trigamma_float64(double %x) nounwind {
b1:
  %v1 = fcmp ugt double %x, 0.000000e+00
  br i1 %v1, label %b4, label %b2
b2:
  %v2 = fcmp oeq double %x, 0xFFF0000000000000
  br i1 %v2, label %b10, label %b3
b3:
  %v3 = tail call double @llvm.floor.f64(double %x)
  %v4 = fcmp oeq double %x, %v3
  br i1 %v4, label %b10, label %b7
b4:
  %v5 = phi double [ %v6, %b9 ], [ %x, %b1 ]
  %v7 = phi double [ %v8, %b9 ], [ 0.000000e+00, %b1 ]
  %v9 = phi double [ -1.000000e+00, %b9 ], [ 1.000000e+00, %b1 ]
  %v10 = fcmp olt double %v5, 1.000000e+01
  br i1 %v10, label %b5, label %b6
b5:
  %v11 = phi double [ %v12, %b5 ], [ %v5, %b4 ]
  %v13 = phi double [ %v14, %b5 ], [ %v7, %b4 ]
  %v15 = fmul double %v11, %v11
  %v16 = fdiv double %v9, %v15
  %v14 = fadd double %v13, %v16
  %v12 = fadd double %v11, 1.000000e+00
  %v17 = fcmp olt double %v12, 1.000000e+01
  br i1 %v17, label %b5, label %b6
b6:
  %v18 = phi double [ %v5, %b4 ], [ %v12, %b5 ]
  %v19 = phi double [ %v7, %b4 ], [ %v14, %b5 ]
  %v20 = fmul double %v18, %v18
  %v21 = fdiv double 1.000000e+00, %v20
  %v22 = fdiv double 1.000000e+00, %v18
  %v23 = fmul double %v21, 5.000000e-01
  %v24 = fadd double %v22, %v23
  %v25 = fdiv double %v21, %v18
  %v26 = tail call double @llvm.fma.f64(double %v21, double 0xC01C5E5E5E5E5E5E, double 0x3FF2AAAAAAAAAAAB)
  %v27 = tail call double @llvm.fma.f64(double %v26, double %v21, double 0xBFD0330330330330)
  %v28 = tail call double @llvm.fma.f64(double %v27, double %v21, double 0x3FB364D9364D9365)
  %v29 = tail call double @llvm.fma.f64(double %v28, double %v21, double 0xBFA1111111111111)
  %v30 = tail call double @llvm.fma.f64(double %v29, double %v21, double 0x3F98618618618618)
  %v31 = tail call double @llvm.fma.f64(double %v30, double %v21, double 0xBFA1111111111111)
  %v32 = tail call double @llvm.fma.f64(double %v31, double %v21, double 0x3FC5555555555555)
  %v33 = fmul double %v25, %v32
  %v34 = fadd double %v24, %v33
  %v35 = fmul double %v9, %v34
  %v36 = fadd double %v19, %v35
  br label %b10
b7:
  %v37 = tail call double @llvm.roundeven.f64(double %x)
  %v38 = fsub double %x, %v37
  %v39 = fmul double %v38, 0x400921FB54442D18
  %v40 = fcmp oeq double %v39, 0.000000e+00
  %v41 = tail call double @llvm.fma.f64(double %v39, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %v42 = bitcast double %v41 to i64
  %v43 = shl i64 %v42, 62
  %v44 = and i64 %v43, -9223372036854775808
  %v45 = and i64 %v42, 1
  %v46 = icmp eq i64 %v45, 0
  %v47 = fadd double %v41, 0xC338000000000000
  %v48 = fneg double %v47
  %v49 = tail call double @llvm.fma.f64(double %v48, double 0x3FF921FB54442D18, double %v39)
  %v50 = fmul double %v47, 0x3C91A62633145C07
  %v51 = fsub double %v49, %v50
  %v52 = fmul double %v51, %v51
  %v53 = fmul double %v51, %v52
  %v54 = tail call double @llvm.fma.f64(double %v52, double 0x3DE5D7E2DFD02324, double 0xBE5AE5E1F73BF4AB)
  %v55 = tail call double @llvm.fma.f64(double %v54, double %v52, double 0x3EC71DE351EED7F2)
  %v56 = tail call double @llvm.fma.f64(double %v55, double %v52, double 0xBF2A01A019BAD8A1)
  %v57 = tail call double @llvm.fma.f64(double %v56, double %v52, double 0x3F8111111110F573)
  %v58 = tail call double @llvm.fma.f64(double %v57, double %v52, double 0xBFC5555555555547)
  %v59 = fsub double %v51, %v49
  %v60 = fsub double %v51, %v59
  %v61 = fsub double %v49, %v60
  %v62 = fadd double %v50, %v59
  %v63 = fsub double %v61, %v62
  %v64 = fneg double %v50
  %v65 = tail call double @llvm.fma.f64(double %v47, double 0x3C91A62633145C07, double %v64)
  %v66 = fsub double %v63, %v65
  %v67 = tail call double @llvm.fma.f64(double %v48, double 0xB91F1976B7ED9000, double %v66)
  %v68 = tail call double @llvm.fma.f64(double %v53, double %v58, double %v67)
  %v69 = fadd double %v51, %v68
  %v70 = fneg double %v52
  %v71 = fmul double %v52, %v70
  %v72 = tail call double @llvm.fma.f64(double %v52, double 0xBDA8F941EA99C891, double 0x3E21EE9B9E18B408)
  %v73 = tail call double @llvm.fma.f64(double %v72, double %v52, double 0xBE927E4F7C234A35)
  %v74 = tail call double @llvm.fma.f64(double %v73, double %v52, double 0x3EFA01A019C515A1)
  %v75 = tail call double @llvm.fma.f64(double %v74, double %v52, double 0xBF56C16C16C14DC4)
  %v76 = tail call double @llvm.fma.f64(double %v75, double %v52, double 0x3FA555555555554A)
  %v77 = fmul double %v52, 5.000000e-01
  %v78 = tail call double @llvm.fma.f64(double %v71, double %v76, double %v77)
  %v79 = fsub double 1.000000e+00, %v78
  %v80 = select i1 %v46, double %v69, double %v79
  %v81 = bitcast double %v80 to i64
  %v82 = xor i64 %v44, %v81
  %v83 = bitcast i64 %v82 to double
  %v84 = select i1 %v40, double %v39, double %v83
  %v85 = tail call double @llvm.fabs.f64(double %v84)
  %v86 = fdiv double 0x400921FB54442D18, %v85
  br label %b8
b8:
  %v87 = phi double [ %v8, %b8 ], [ 1.000000e+00, %b7 ]
  %v88 = phi double [ %v89, %b8 ], [ %v86, %b7 ]
  %v90 = phi i64 [ %v91, %b8 ], [ 2, %b7 ]
  %v92 = and i64 %v90, 1
  %v93 = icmp eq i64 %v92, 0
  %v94 = fmul double %v87, %v88
  %v8 = select i1 %v93, double %v87, double %v94
  %v91 = lshr i64 %v90, 1
  %v89 = fmul double %v88, %v88
  %v95 = icmp eq i64 %v91, 0
  br i1 %v95, label %b9, label %b8
b9:
  %v6 = fsub double 1.000000e+00, %x
  br label %b4
b10:
  %v96 = phi double [ %v36, %b6 ], [ 0x7FF8000000000000, %b2 ], [ 0x7FF0000000000000, %b3 ]
  ret double %v96
}

define internal float @m_trunc_float32(float %x) alwaysinline nounwind {
b1:
  %v1 = tail call float @llvm.trunc.f32(float %x)
  ret float %v1
}

define internal double @m_trunc_float64(double %x) alwaysinline nounwind {
b1:
  %v1 = tail call double @llvm.trunc.f64(double %x)
  ret double %v1
}

define internal double @r_acc_pairwise(ptr %x, i64 %y) nounwind {
b1:
  %v1 = alloca [64 x double], align 64
  %v2 = alloca [64 x i64], align 64
  call void @llvm.lifetime.start.p0(ptr nonnull %v1)
  call void @llvm.lifetime.start.p0(ptr nonnull %v2)
  store double 0.000000e+00, ptr %v1, align 64
  store i64 0, ptr %v2, align 64
  br label %b2
b2:
  %v3 = phi i64 [ %y, %b1 ], [ %v4, %b16 ]
  %v5 = phi i64 [ 0, %b1 ], [ %v6, %b16 ]
  %v7 = phi i64 [ 0, %b1 ], [ %v8, %b16 ]
  %v9 = icmp sgt i64 %v3, 128
  br i1 %v9, label %b3, label %b4
b3:
  %v10 = phi i64 [ %v11, %b3 ], [ %v3, %b2 ]
  %v12 = phi i64 [ %v13, %b3 ], [ %v7, %b2 ]
  %v14 = lshr i64 %v10, 1
  %v11 = and i64 %v14, 4611686018427387896
  %v15 = sub nsw i64 %v10, %v11
  %v16 = getelementptr inbounds i64, ptr %v2, i64 %v12
  store i64 %v15, ptr %v16, align 8
  %v13 = add nsw i64 %v12, 1
  %v17 = icmp samesign ugt i64 %v11, 128
  br i1 %v17, label %b3, label %b4
b4:
  %v18 = phi i64 [ %v3, %b2 ], [ %v11, %b3 ]
  %v19 = phi i64 [ %v7, %b2 ], [ %v13, %b3 ]
  %v20 = icmp slt i64 %v18, 8
  br i1 %v20, label %b5, label %b6
b5:
  %v21 = add nsw i64 %v18, %v5
  br label %b9
b6:
  %v22 = add nsw i64 %v5, 8
  %v23 = getelementptr inbounds double, ptr %x, i64 %v5
  %v24 = load double, ptr %v23, align 8
  %v25 = getelementptr i8, ptr %v23, i64 8
  %v26 = load double, ptr %v25, align 8
  %v27 = getelementptr i8, ptr %v23, i64 16
  %v28 = load double, ptr %v27, align 8
  %v29 = getelementptr i8, ptr %v23, i64 24
  %v30 = load double, ptr %v29, align 8
  %v31 = getelementptr i8, ptr %v23, i64 32
  %v32 = load double, ptr %v31, align 8
  %v33 = getelementptr i8, ptr %v23, i64 40
  %v34 = load double, ptr %v33, align 8
  %v35 = getelementptr i8, ptr %v23, i64 48
  %v36 = load double, ptr %v35, align 8
  %v37 = getelementptr i8, ptr %v23, i64 56
  %v38 = load double, ptr %v37, align 8
  %v39 = add nsw i64 %v18, %v5
  %v40 = icmp samesign ult i64 %v18, 16
  br i1 %v40, label %b8, label %b7
b7:
  %v41 = phi i64 [ %v42, %b7 ], [ %v22, %b6 ]
  %v43 = phi double [ %v44, %b7 ], [ %v24, %b6 ]
  %v45 = phi double [ %v46, %b7 ], [ %v26, %b6 ]
  %v47 = phi double [ %v48, %b7 ], [ %v28, %b6 ]
  %v49 = phi double [ %v50, %b7 ], [ %v30, %b6 ]
  %v51 = phi double [ %v52, %b7 ], [ %v36, %b6 ]
  %v53 = phi double [ %v54, %b7 ], [ %v34, %b6 ]
  %v55 = phi double [ %v56, %b7 ], [ %v32, %b6 ]
  %v57 = phi double [ %v58, %b7 ], [ %v38, %b6 ]
  %v59 = getelementptr inbounds double, ptr %x, i64 %v41
  %v60 = load double, ptr %v59, align 8
  %v44 = fadd double %v43, %v60
  %v61 = getelementptr i8, ptr %v59, i64 8
  %v62 = load double, ptr %v61, align 8
  %v46 = fadd double %v45, %v62
  %v63 = getelementptr i8, ptr %v59, i64 16
  %v64 = load double, ptr %v63, align 8
  %v48 = fadd double %v47, %v64
  %v65 = getelementptr i8, ptr %v59, i64 24
  %v66 = load double, ptr %v65, align 8
  %v50 = fadd double %v49, %v66
  %v67 = getelementptr i8, ptr %v59, i64 32
  %v68 = load double, ptr %v67, align 8
  %v56 = fadd double %v55, %v68
  %v69 = getelementptr i8, ptr %v59, i64 40
  %v70 = load double, ptr %v69, align 8
  %v54 = fadd double %v53, %v70
  %v71 = getelementptr i8, ptr %v59, i64 48
  %v72 = load double, ptr %v71, align 8
  %v52 = fadd double %v51, %v72
  %v73 = getelementptr i8, ptr %v59, i64 56
  %v74 = load double, ptr %v73, align 8
  %v58 = fadd double %v57, %v74
  %v42 = add nsw i64 %v41, 8
  %v75 = add nsw i64 %v41, 16
  %v76 = icmp sgt i64 %v75, %v39
  br i1 %v76, label %b8, label %b7
b8:
  %v77 = phi i64 [ %v22, %b6 ], [ %v42, %b7 ]
  %v78 = phi double [ %v24, %b6 ], [ %v44, %b7 ]
  %v79 = phi double [ %v26, %b6 ], [ %v46, %b7 ]
  %v80 = phi double [ %v28, %b6 ], [ %v48, %b7 ]
  %v81 = phi double [ %v30, %b6 ], [ %v50, %b7 ]
  %v82 = phi double [ %v36, %b6 ], [ %v52, %b7 ]
  %v83 = phi double [ %v34, %b6 ], [ %v54, %b7 ]
  %v84 = phi double [ %v32, %b6 ], [ %v56, %b7 ]
  %v85 = phi double [ %v38, %b6 ], [ %v58, %b7 ]
  %v86 = fadd double %v78, %v79
  %v87 = fadd double %v80, %v81
  %v88 = fadd double %v86, %v87
  %v89 = fadd double %v83, %v84
  %v90 = fadd double %v82, %v85
  %v91 = fadd double %v89, %v90
  %v92 = fadd double %v88, %v91
  br label %b9
b9:
  %v93 = phi i64 [ %v21, %b5 ], [ %v39, %b8 ]
  %v94 = phi double [ -0.000000e+00, %b5 ], [ %v92, %b8 ]
  %v95 = phi i64 [ %v5, %b5 ], [ %v77, %b8 ]
  %v96 = sub i64 %v93, %v95
  %v97 = icmp slt i64 %v96, 1
  br i1 %v97, label %b11, label %b10
b10:
  %v98 = phi double [ %v99, %b10 ], [ %v94, %b9 ]
  %v100 = phi i64 [ %v101, %b10 ], [ %v96, %b9 ]
  %v102 = phi i64 [ %v103, %b10 ], [ %v95, %b9 ]
  %v101 = add nsw i64 %v100, -1
  %v103 = add i64 %v102, 1
  %v104 = getelementptr inbounds double, ptr %x, i64 %v102
  %v105 = load double, ptr %v104, align 8
  %v99 = fadd double %v98, %v105
  %v106 = icmp samesign ugt i64 %v100, 1
  br i1 %v106, label %b10, label %b11
b11:
  %v107 = phi double [ %v94, %b9 ], [ %v99, %b10 ]
  %v6 = add nsw i64 %v18, %v5
  %v108 = icmp sgt i64 %v19, 0
  br i1 %v108, label %b12, label %b15
b12:
  %v109 = getelementptr i64, ptr %v2, i64 %v19
  %v110 = getelementptr i8, ptr %v109, i64 -8
  %v111 = load i64, ptr %v110, align 8
  %v112 = icmp slt i64 %v111, 0
  br i1 %v112, label %b13, label %b16
b13:
  %v113 = phi i64 [ %v114, %b14 ], [ %v19, %b12 ]
  %v115 = phi double [ %v116, %b14 ], [ %v107, %b12 ]
  %v114 = add nsw i64 %v113, -1
  %v117 = getelementptr inbounds nuw double, ptr %v1, i64 %v114
  %v118 = load double, ptr %v117, align 8
  %v116 = fadd double %v115, %v118
  %v119 = icmp sgt i64 %v113, 1
  br i1 %v119, label %b14, label %b17
b14:
  %v120 = getelementptr i64, ptr %v2, i64 %v113
  %v121 = getelementptr i8, ptr %v120, i64 -16
  %v122 = load i64, ptr %v121, align 8
  %v123 = icmp slt i64 %v122, 0
  br i1 %v123, label %b13, label %b16
b15:
  %v124 = icmp eq i64 %v19, 0
  br i1 %v124, label %b17, label %b16
b16:
  %v125 = phi double [ %v107, %b15 ], [ %v107, %b12 ], [ %v116, %b14 ]
  %v8 = phi i64 [ %v19, %b15 ], [ %v19, %b12 ], [ %v114, %b14 ]
  %v126 = add nsw i64 %v8, -1
  %v127 = getelementptr inbounds double, ptr %v1, i64 %v126
  store double %v125, ptr %v127, align 8
  %v128 = getelementptr inbounds i64, ptr %v2, i64 %v126
  %v4 = load i64, ptr %v128, align 8
  store i64 -1, ptr %v128, align 8
  br label %b2
b17:
  %v129 = phi double [ %v116, %b13 ], [ %v107, %b15 ]
  %v130 = fadd double %v129, 0.000000e+00
  call void @llvm.lifetime.end.p0(ptr nonnull %v1)
  call void @llvm.lifetime.end.p0(ptr nonnull %v2)
  ret double %v130
}

define internal float @r_bfloat16_to_float32(i16 %x) alwaysinline nounwind {
b1:
  %v1 = zext i16 %x to i32
  %v2 = shl nuw i32 %v1, 16
  %v3 = bitcast i32 %v2 to float
  ret float %v3
}

define internal float @r_float16_to_float32(i16 %x) alwaysinline nounwind {
b1:
  %v1 = bitcast i16 %x to half
  %v2 = fpext half %v1 to float
  ret float %v2
}

define internal i16 @r_float32_to_bfloat16(float %x) alwaysinline nounwind {
b1:
  %v1 = bitcast float %x to i32
  %v2 = lshr i32 %v1, 16
  %v3 = and i32 %v2, 1
  %v4 = add i32 %v1, 32767
  %v5 = add i32 %v4, %v3
  %v6 = lshr i32 %v5, 16
  %v7 = or i32 %v2, 64
  %v8 = fcmp uno float %x, 0.000000e+00
  %v9 = select i1 %v8, i32 %v7, i32 %v6
  %v10 = trunc nuw i32 %v9 to i16
  ret i16 %v10
}

define internal i16 @r_float32_to_float16(float %x) alwaysinline nounwind {
b1:
  %v1 = fptrunc float %x to half
  %v2 = bitcast half %v1 to i16
  ret i16 %v2
}

define internal i16 @r_float64_to_bfloat16(double %x) alwaysinline nounwind {
b1:
  %v1 = fptrunc double %x to float
  %v2 = fpext float %v1 to double
  %v3 = bitcast float %v1 to i32
  %v4 = tail call double @llvm.fabs.f64(double %v2)
  %v5 = tail call double @llvm.fabs.f64(double %x)
  %v6 = fcmp ogt double %v4, %v5
  %v7 = sext i1 %v6 to i32
  %v8 = add i32 %v7, %v3
  %v9 = fcmp one double %x, %v2
  %v10 = zext i1 %v9 to i32
  %v11 = or i32 %v8, %v10
  %v12 = bitcast i32 %v11 to float
  %v13 = lshr i32 %v8, 16
  %v14 = and i32 %v13, 1
  %v15 = add i32 %v11, 32767
  %v16 = add i32 %v15, %v14
  %v17 = lshr i32 %v16, 16
  %v18 = or i32 %v13, 64
  %v19 = fcmp uno float %v12, 0.000000e+00
  %v20 = select i1 %v19, i32 %v18, i32 %v17
  %v21 = trunc nuw i32 %v20 to i16
  ret i16 %v21
}

define internal i16 @r_float64_to_float16(double %x) alwaysinline nounwind {
b1:
  %v1 = fptrunc double %x to float
  %v2 = fpext float %v1 to double
  %v3 = bitcast float %v1 to i32
  %v4 = tail call double @llvm.fabs.f64(double %v2)
  %v5 = tail call double @llvm.fabs.f64(double %x)
  %v6 = fcmp ogt double %v4, %v5
  %v7 = sext i1 %v6 to i32
  %v8 = add i32 %v7, %v3
  %v9 = fcmp one double %x, %v2
  %v10 = zext i1 %v9 to i32
  %v11 = or i32 %v8, %v10
  %v12 = bitcast i32 %v11 to float
  %v13 = fptrunc float %v12 to half
  %v14 = bitcast half %v13 to i16
  ret i16 %v14
}

@t_0f89f25d59ce = internal unnamed_addr constant [512 x i8] c"\82\F9\A23\83\F9\224\0C\E6\8B3\0D\E6\0B4\D8`\BE2\D8`>3\DA`\BE3\DB`>4n\83\F93n\83y4\DC\06s4\B9\0Df4r\1BL4\E46\184$\B7A3&\B7\C13'\B7A4Nn\034\80\93\DB1\90\93[2\90\93\DB2\90\93[3\90\93\DB3\91\93[4\22'74\88\9C\DC3\88\9C\\4\10994@\E4\E43A\E4d4\82\C8I4\05\91\134(\88\1C3*\88\9C3*\88\1C4PAd3RA\E43RAd4\A5\82H4J\05\114P*\083R*\883S*\0848\A5\822<\A5\023>\A5\823?\A5\024\E0O\A91\E0O)2\E0O\A92\E0O)3\E0O\A93\E1O)4\84?\A53\84?%4\12\FE\943\13\FE\144\9C\F0'3\9C\F0\A73\9D\F0'4t\C2\9F3u\C2\1F4\A8\13~3\AA\13\FE3\AB\13~4W'|4\AFNx4_\9Dp4\BE:a4}uB4\FA\EA\044@_\1D2@_\9D2D_\1D3F_\9D3G_\1D4<\FAj3>\FA\EA3>\FAj4}\F4U4\FA\E8+4\EA\A3\AF3\EA\A3/4\A8\8F\BE3\A9\8F>4\A6>\FA3\A6>z4M}t4\9A\FAh44\F5Q4i\EA#4\A6\A9\8F3\A6\A9\0F4h\9A\FA2l\9Az3n\9A\FA3n\9Az4\DD4u4\BBij4w\D3T4\EE\A6)4\B8\9B\A63\B8\9B&4\E0n\9A3\E0n\1A4\00wS3\02w\D33\03wS4\06\EE&4\1A\B8\9B3\1B\B8\1B4\D8\C0]3\DA\C0\DD3\DB\C0]4\B6\81;4\DA\06\EE3\DB\06n4\B6\0D\\4l\1B84\B0m\E03\B1m`4b\DB@4\C5\B6\014\80b[1\80b\DB1\90b[2\90b\DB2\94b[3", align 4

@t_2dd00f76f2e8 = internal unnamed_addr constant [8192 x i8] c"\82\C8\C9m0_\A4<\82\C8\C9m0_\B4<\0A\22'\B7\C1|\A1<\0A\22'\B7\C1|\B1<\A8 rr\1B\CC\87<\A8 rr\1B\CC\97<\A8 rr\1B\CC\A7<\A9 rr\1B\CC\B7<\A4\82\C8\C9m0\AF<\A5\82\C8\C9m0\BF<J\05\91\93\DB`\BE<\94\0A\22'\B7\C1\BC<)\15DNn\83\B9<S*\88\9C\DC\06\B3<\9CRA\E4\E46\98<\9ERA\E4\E46\A8<\9FRA\E4\E46\B8<?\A5\82\C8\C9m\B0<\E0O\A9 rrk<\E0O\A9 rr{<\E0O\A9 rr\8B<\E0O\A9 rr\9B<\E0O\A9 rr\AB<\E1O\A9 rr\BB<\C2\9FRA\E4\E4\B6<\08\7FJ\05\91\93\AB<\09\7FJ\05\91\93\BB<\13\FE\94\0A\22'\B7<N\F8S*\88\9C\AC<N\F8S*\88\9C\BC<\9D\F0\A7T\109\B9<:\E1O\A9 r\B2<\D4\09\7FJ\05\91\93<\D4\09\7FJ\05\91\A3<\D5\09\7FJ\05\91\B3<\ACN\F8S*\88\9C<\AEN\F8S*\88\AC<\AFN\F8S*\88\BC<_\9D\F0\A7T\10\B9<\BE:\E1O\A9 \B2<\F4\D5\09\7FJ\05\91<\F4\D5\09\7FJ\05\A1<\F4\D5\09\7FJ\05\B1<@_\9D\F0\A7T\80<D_\9D\F0\A7T\90<F_\9D\F0\A7T\A0<G_\9D\F0\A7T\B0<\E0\D1W'\FC)e<\F0\D1W'\FC)u<\F0\D1W'\FC)\85<\F4\D1W'\FC)\95<\F4\D1W'\FC)\A5<\F5\D1W'\FC)\B5<\D4G_\9D\F0\A7\A4<\D4G_\9D\F0\A7\B4<R\1F}u\C2\9F\A2<S\1F}u\C2\9F\B2<\98\FA\E8\AB\13\FE\94<\9A\FA\E8\AB\13\FE\A4<\9A\FA\E8\AB\13\FE\B4<h\EA\A3\AFN\F8\A3<i\EA\A3\AFN\F8\B3<LS\1F}u\C2\9F<LS\1F}u\C2\AF<MS\1F}u\C2\BF<\9B\A6>\FA\EA\84\BF<7M}\F4\D5\09\BF<n\9A\FA\E8\AB\13\BE<\DD4\F5\D1W'\BC<\BBi\EA\A3\AFN\B8<w\D3\D4G_\9D\B0<\E0n\9A\FA\E8\ABs<\E0n\9A\FA\E8\AB\83<\E0n\9A\FA\E8\AB\93<\E0n\9A\FA\E8\AB\A3<\E0n\9A\FA\E8\AB\B3<\00w\D3\D4G_\9D<\02w\D3\D4G_\AD<\03w\D3\D4G_\BD<\06\EE\A6\A9\8F\BE\BA<\0D\DCMS\1F}\B5<6p7M}\F4\A5<6p7M}\F4\B5<\DA\C0\DD4\F5\D1\A7<\DB\C0\DD4\F5\D1\B7<l\03w\D3\D4G\AF<m\03w\D3\D4G\BF<\DB\06\EE\A6\A9\8F\BE<\B6\0D\DCMS\1F\BD<l\1B\B8\9B\A6>\BA<\D86p7M}\B4<b\DB\C0\DD4\F5\A1<b\DB\C0\DD4\F5\B1<(\B6\0D\DCMS\8F<(\B6\0D\DCMS\9F<(\B6\0D\DCMS\AF<)\B6\0D\DCMS\BF<Rl\1B\B8\9B\A6\BE<\A5\D86p7M\BD<J\B1m\E0n\9A\BA<\95b\DB\C0\DD4\B5<V\8Am\03w\D3\A4<V\8Am\03w\D3\B4<X)\B6\0D\DCM\A3<Y)\B6\0D\DCM\B3<\CCJ\B1m\E0n\9A<\CCJ\B1m\E0n\AA<\CCJ\B1m\E0n\BA<\99\95b\DB\C0\DD\B4<dV\8Am\03w\A3<dV\8Am\03w\B3<$\B3Rl\1B\B8\9B<&\B3Rl\1B\B8\AB<'\B3Rl\1B\B8\BB<Of\A5\D86p\B7<<\99\95b\DB\C0\AD<<\99\95b\DB\C0\BD<x2+\C5\B6\81\BB<\F1dV\8Am\03\B7<\C4\93Y)\B6\0D\AC<\C4\93Y)\B6\0D\BC<\88'\B3Rl\1B\B8<\10Of\A5\D86\B0<@\88'\B3Rl[<`\88'\B3Rlk<p\88'\B3Rl{<p\88'\B3Rl\8B<p\88'\B3Rl\9B<r\88'\B3Rl\AB<r\88'\B3Rl\BB<\E4\10Of\A5\D8\B6<\90C<\99\95b\AB<\90C<\99\95b\BB< \87x2+\C5\B6<\82\1C\E2\C9\AC\14\AB<\82\1C\E2\C9\AC\14\BB<\049\C4\93Y)\B6<\10\E4\10Of\A5\A8<\10\E4\10Of\A5\B8< \C8!\9E\CCJ\B1<\08\82\1C\E2\C9\AC\84<\0C\82\1C\E2\C9\AC\94<\0E\82\1C\E2\C9\AC\A4<\0F\82\1C\E2\C9\AC\B4<>\08r\88'\B3\A2<?\08r\88'\B3\B2<\FCA\90C<\99\95<\FEA\90C<\99\A5<\FEA\90C<\99\B5<\F8\07A\0E\F1d\A6<\F9\07A\0E\F1d\B6<\E4\1F\049\C4\93\A9<\E5\1F\049\C4\93\B9<\CA?\08r\88'\B3<P\FEA\90C<\99<P\FEA\90C<\A9<Q\FEA\90C<\B9<\A2\FC\83 \87x\B2<\14\E5\1F\049\C4\93<\16\E5\1F\049\C4\A3<\16\E5\1F\049\C4\B3<\B0(\FF \C8!\9E<\B0(\FF \C8!\AE<\B1(\FF \C8!\BE<cQ\FEA\90C\BC<\C7\A2\FC\83 \87\B8<\8EE\F9\07A\0E\B1<\E8X\94\7F\10\E4\80<\E8X\94\7F\10\E4\90<\EAX\94\7F\10\E4\A0<\EAX\94\7F\10\E4\B0<P\1D\8B\F2\0F\82|<X\1D\8B\F2\0F\82\8C<\\\1D\8B\F2\0F\82\9C<^\1D\8B\F2\0F\82\AC<^\1D\8B\F2\0F\82\BC<\BD:\16\E5\1F\04\B9<{u,\CA?\08\B2<\DC\ABcQ\FEA\90<\DE\ABcQ\FEA\A0<\DE\ABcQ\FEA\B0<\A0\F7\EAX\94\7F`<\A0\F7\EAX\94\7Fp<\A8\F7\EAX\94\7F\80<\AC\F7\EAX\94\7F\90<\AE\F7\EAX\94\7F\A0<\AE\F7\EAX\94\7F\B0<\A0\EB\BD:\16\E5o<\B0\EB\BD:\16\E5\7F<\B8\EB\BD:\16\E5\8F<\BC\EB\BD:\16\E5\9F<\BC\EB\BD:\16\E5\AF<\BC\EB\BD:\16\E5\BF<x\D7{u,\CA\BF<\F1\AE\F7\EAX\94\BF<\E2]\EF\D5\B1(\BF<\C5\BB\DE\ABcQ\BE<\8Aw\BDW\C7\A2\BC<\15\EFz\AF\8EE\B9<+\DE\F5^\1D\8B\B2<X\F1\AE\F7\EAX\94<X\F1\AE\F7\EAX\A4<X\F1\AE\F7\EAX\B4<`\C5\BB\DE\ABc\A1<a\C5\BB\DE\ABc\B1<\18V\BC\EB\BD:\86<\18V\BC\EB\BD:\96<\1AV\BC\EB\BD:\A6<\1BV\BC\EB\BD:\B6<lX\F1\AE\F7\EA\A8<mX\F1\AE\F7\EA\B8<\DB\B0\E2]\EF\D5\B1<\B8\0D+\DE\F5^\8D<\B8\0D+\DE\F5^\9D<\B8\0D+\DE\F5^\AD<\B9\0D+\DE\F5^\BD<r\1BV\BC\EB\BD\BA<\E46\ACx\D7{\B5<\92\DB\B0\E2]\EF\A5<\92\DB\B0\E2]\EF\B5<Hn\C3\8Aw\BD\A7<Hn\C3\8Aw\BD\B7<\22\B9\0D+\DE\F5\AE<#\B9\0D+\DE\F5\BE<Fr\1BV\BC\EB\BD<\8D\E46\ACx\D7\BB<\1B\C9mX\F1\AE\B7<n$\B7a\C5\BB\AE<n$\B7a\C5\BB\BE<\DCHn\C3\8Aw\BD<\B8\91\DC\86\15\EF\BA<q#\B9\0D+\DE\B5<\C6\8D\E46\ACx\A7<\C7\8D\E46\ACx\B7<\1C7\92\DB\B0\E2\AD<\1D7\92\DB\B0\E2\BD<:n$\B7a\C5\BB<t\DCHn\C3\8A\B7<\D2q#\B9\0D+\AE<\D2q#\B9\0D+\BE<\A4\E3Fr\1BV\BC<H\C7\8D\E46\AC\B8<\90\8E\1B\C9mX\B1<\08\E9\B8\91\DC\86\85<\08\E9\B8\91\DC\86\95<\08\E9\B8\91\DC\86\A5<\09\E9\B8\91\DC\86\B5<$\A4\E3Fr\1B\A6<$\A4\E3Fr\1B\B6<\92\90\8E\1B\C9m\A8<\93\90\8E\1B\C9m\B8<&!\1D7\92\DB\B0<\D0$\A4\E3Fr{<\D8$\A4\E3Fr\8B<\DC$\A4\E3Fr\9B<\DC$\A4\E3Fr\AB<\DD$\A4\E3Fr\BB<\BAIH\C7\8D\E4\B6<\E8&!\1D7\92\AB<\E9&!\1D7\92\BB<\D2MB:n$\B7<J7\09\E9\B8\91\AC<K7\09\E9\B8\91\BC<\97n\12\D2q#\B9<.\DD$\A4\E3F\B2<p\E9&!\1D7\92<p\E9&!\1D7\A2<p\E9&!\1D7\B2<\80K7\09\E9\B8\91<\80K7\09\E9\B8\A1<\80K7\09\E9\B8\B1<\00\B8t\93\90\8E\8B<\00\B8t\93\90\8E\9B<\00\B8t\93\90\8E\AB<\01\B8t\93\90\8E\BB<\03p\E9&!\1D\B7<\0C\C0\A5\9B\84t\AC<\0C\C0\A5\9B\84t\BC<\19\80K7\09\E9\B8<2\00\97n\12\D2\B1< \03p\E9&!\8D<$\03p\E9&!\9D<$\03p\E9&!\AD<$\03p\E9&!\BD<I\06\E0\D2MB\BA<\92\0C\C0\A5\9B\84\B4<H2\00\97n\12\A2<I2\00\97n\12\B2<H\92\01\B8t\93\90<J\92\01\B8t\93\A0<K\92\01\B8t\93\B0<pI2\00\97nr<pI2\00\97n\82<tI2\00\97n\92<vI2\00\97n\A2<wI2\00\97n\B2<\B8K\92\01\B8t\93<\BAK\92\01\B8t\A3<\BAK\92\01\B8t\B3<\D4]\92\0C\C0\A5\9B<\D4]\92\0C\C0\A5\AB<\D4]\92\0C\C0\A5\BB<\A8\BB$\19\80K\B7<\A0\EE\92d\00.\AD<\A0\EE\92d\00.\BD<A\DD%\C9\00\\\BA<\82\BAK\92\01\B8\B4<\08\EA.I\06\E0\A2<\09\EA.I\06\E0\B2<LPwI2\00\97<NPwI2\00\A7<NPwI2\00\B7<:A\DD%\C9\00\AC<:A\DD%\C9\00\BC<t\82\BAK\92\01\B8<\E8\04u\97$\03\B0<\00D'\A8\BB$\19<\00F'\A8\BB$)<\00F'\A8\BB$9<\00F'\A8\BB$I<@F'\A8\BB$Y<@F'\A8\BB$i<@F'\A8\BB$y<HF'\A8\BB$\89<HF'\A8\BB$\99<HF'\A8\BB$\A9<HF'\A8\BB$\B9<\90\8CNPwI\B2<\84dt\82\BAK\92<\86dt\82\BAK\A2<\87dt\82\BAK\B2<8$\A3\13\D4]\92<8$\A3\13\D4]\A2<9$\A3\13\D4]\B2<\CC!\19\9D\A0\EE\92<\CE!\19\9D\A0\EE\A2<\CF!\19\9D\A0\EE\B2<|\0E\C9\E8\04u\97<~\0E\C9\E8\04u\A7<\7F\0E\C9\E8\04u\B7<\FC9$\A3\13\D4\AD<\FC9$\A3\13\D4\BD<\F8sHF'\A8\BB<\F0\E7\90\8CNP\B7<\C2\9FC2:A\AD<\C3\9FC2:A\BD<\87?\87dt\82\BA<\0E\7F\0E\C9\E8\04\B5<:\FC9$\A3\13\A4<;\FC9$\A3\13\B4<\EE\F0\E7\90\8CN\A0<\EF\F0\E7\90\8CN\B0<\C0;\FC9$\A3c<\D0;\FC9$\A3s<\D0;\FC9$\A3\83<\D4;\FC9$\A3\93<\D6;\FC9$\A3\A3<\D6;\FC9$\A3\B3<\B0\DE\E1\CF!\19\9D<\B0\DE\E1\CF!\19\AD<\B1\DE\E1\CF!\19\BD<c\BD\C3\9FC2\BA<\C7z\87?\87d\B4<\1C\EB\1D\FE\1C\92\A1<\1C\EB\1D\FE\1C\92\B1<\C8\B1\DE\E1\CF!\89<\C8\B1\DE\E1\CF!\99<\CA\B1\DE\E1\CF!\A9<\CB\B1\DE\E1\CF!\B9<\96c\BD\C3\9FC\B2<\B0\1C\EB\1D\FE\1C\92<\B0\1C\EB\1D\FE\1C\A2<\B1\1C\EB\1D\FE\1C\B2<\88\E5X\EF\F0\E7\90<\88\E5X\EF\F0\E7\A0<\89\E5X\EF\F0\E7\B0< \B1\1C\EB\1D\FE|<(\B1\1C\EB\1D\FE\8C<(\B1\1C\EB\1D\FE\9C<(\B1\1C\EB\1D\FE\AC<)\B1\1C\EB\1D\FE\BC<Sb9\D6;\FC\B9<\A6\C4r\ACw\F8\B3<4%\96c\BD\C3\9F<4%\96c\BD\C3\AF<4%\96c\BD\C3\BF<iJ,\C7z\87\BF<\D3\94X\8E\F5\0E\BF<\A7)\B1\1C\EB\1D\BE<NSb9\D6;\BC<\9C\A6\C4r\ACw\B8<9M\89\E5X\EF\B0<0\A7)\B1\1C\EB}<8\A7)\B1\1C\EB\8D<<\A7)\B1\1C\EB\9D<>\A7)\B1\1C\EB\AD<>\A7)\B1\1C\EB\BD<}NSb9\D6\BB<\FB\9C\A6\C4r\AC\B7<\EEs\9A\12\CB\B1\AE<\EEs\9A\12\CB\B1\BE<\DD\E74%\96c\BD<\BA\CFiJ,\C7\BA<t\9F\D3\94X\8E\B5<\D0}NSb9\A6<\D1}NSb9\B6<D\F79M\89\E5\A8<D\F79M\89\E5\B8<\88\EEs\9A\12\CB\B1<\80\E8>\A7)\B1\8C<\80\E8>\A7)\B1\9C<\82\E8>\A7)\B1\AC<\82\E8>\A7)\B1\BC<\04\D1}NSb\B9<\08\A2\FB\9C\A6\C4\B2<D\10\DD\E74%\96<F\10\DD\E74%\A6<F\10\DD\E74%\B6<\1AAt\9F\D3\94\A8<\1AAt\9F\D3\94\B8<5\82\E8>\A7)\B1<X#\88\EEs\9A\82<\\#\88\EEs\9A\92<^#\88\EEs\9A\A2<_#\88\EEs\9A\B2<\F8\1AAt\9F\D3\94<\FA\1AAt\9F\D3\A4<\FA\1AAt\9F\D3\B4<\EAk\04\D1}N\A3<\EAk\04\D1}N\B3<P_#\88\EEs\9A<R_#\88\EEs\AA<R_#\88\EEs\BA<\A5\BEF\10\DD\E7\B4<\96\FA\1AAt\9F\A3<\97\FA\1AAt\9F\B3<\B8\D4\D7\08\A2\FB\9C<\BA\D4\D7\08\A2\FB\AC<\BA\D4\D7\08\A2\FB\BC<u\A9\AF\11D\F7\B9<\EBR_#\88\EE\B3<\\\97\FA\1AAt\9F<\\\97\FA\1AAt\AF<]\97\FA\1AAt\BF<\BB.\F55\82\E8\BE<v]\EAk\04\D1\BD<\ED\BA\D4\D7\08\A2\BB<\DAu\A9\AF\11D\B7<h\D7\A5\BEF\10\AD<h\D7\A5\BEF\10\BD<\D1\AEK}\8D \BA<\A2]\97\FA\1AA\B4<\88v]\EAk\04\A1<\89v]\EAk\04\B1<\90h\D7\A5\BEF\80<\90h\D7\A5\BEF\90<\90h\D7\A5\BEF\A0<\90h\D7\A5\BEF\B0< $\DAu\A9\AFa< $\DAu\A9\AFq< $\DAu\A9\AF\81<$$\DAu\A9\AF\91<&$\DAu\A9\AF\A1<'$\DAu\A9\AF\B1<pB\A2]\97\FA\8A<tB\A2]\97\FA\9A<tB\A2]\97\FA\AA<tB\A2]\97\FA\BA<\E9\84D\BB.\F5\B5<\A6\13\12\ED\BA\D4\A7<\A6\13\12\ED\BA\D4\B7<\98NH\B4\EBR\AF<\99NH\B4\EBR\BF<3\9D\90h\D7\A5\BE<g:!\D1\AEK\BD<\CEtB\A2]\97\BA<\9C\E9\84D\BB.\B5<p\A6\13\12\ED\BA\A4<q\A6\13\12\ED\BA\B4<\C6\99NH\B4\EB\A2<\C7\99NH\B4\EB\B2<8\CEtB\A2]\97<8\CEtB\A2]\A7<8\CEtB\A2]\B7<\E08\D3\09\89v\AD<\E08\D3\09\89v\BD<\C0q\A6\13\12\ED\BA<\81\E3L'$\DA\B5<\04\8E3\9D\90h\A7<\04\8E3\9D\90h\B7<\128\CEtB\A2\AD<\138\CEtB\A2\BD<&p\9C\E9\84D\BB<M\E08\D3\09\89\B6<4\81\E3L'$\AA<5\81\E3L'$\BA<k\02\C7\99NH\B4<\AC\09\1Cg:!\A1<\AD\09\1Cg:!\B1<\D0\9A\C0q\A6\13\82<\D0\9A\C0q\A6\13\92<\D0\9A\C0q\A6\13\A2<\D1\9A\C0q\A6\13\B2<\88\D6\04\8E3\9D\90<\8A\D6\04\8E3\9D\A0<\8B\D6\04\8E3\9D\B0<p\D1\9A\C0q\A6s<x\D1\9A\C0q\A6\83<|\D1\9A\C0q\A6\93<|\D1\9A\C0q\A6\A3<}\D1\9A\C0q\A6\B3<\EC\8B\D6\04\8E3\9D<\EE\8B\D6\04\8E3\AD<\EF\8B\D6\04\8E3\BD<\DF\17\AD\09\1Cg\BA<\BF/Z\138\CE\B4<\FC\BEhM\E08\A3<\FC\BEhM\E08\B3<\E4\F7Ek\02\C7\99<\E4\F7Ek\02\C7\A9<\E4\F7Ek\02\C7\B9<\C8\EF\8B\D6\04\8E\B3<@~_\B4&p\9C<@~_\B4&p\AC<A~_\B4&p\BC<\82\FC\BEhM\E0\B8<\04\F9}\D1\9A\C0\B1<H\90\DF\17\AD\09\8C<L\90\DF\17\AD\09\9C<N\90\DF\17\AD\09\AC<N\90\DF\17\AD\09\BC<\9C \BF/Z\13\B8<9A~_\B4&\B0<\C0\9C \BF/ZS<\C0\9C \BF/Zc<\C0\9C \BF/Zs<\C8\9C \BF/Z\83<\C8\9C \BF/Z\93<\C8\9C \BF/Z\A3<\C8\9C \BF/Z\B3<D\E6\04\F9}\D1\9A<F\E6\04\F9}\D1\AA<G\E6\04\F9}\D1\BA<\8E\CC\09\F2\FB\A2\B5<:2'\C8\EF\8B\A6<:2'\C8\EF\8B\B6<\EA\C8\9C \BF/\AA<\EB\C8\9C \BF/\BA<\D6\919A~_\B4<XG\E6\04\F9}\A1<XG\E6\04\F9}\B1<\88udN\90\DF\87<\8CudN\90\DF\97<\8EudN\90\DF\A7<\8EudN\90\DF\B7<8\D6\919A~\AF<9\D6\919A~\BF<s\AC#s\82\FC\BE<\E6XG\E6\04\F9\BD<\CC\B1\8E\CC\09\F2\BB<\98c\1D\99\13\E4\B7<`\8EudN\90\AF<`\8EudN\90\BF<\C1\1C\EB\C8\9C \BF<\839\D6\919A\BE<\06s\AC#s\82\BC<\0D\E6XG\E6\04\B9<\1A\CC\B1\8E\CC\09\B2<\D4`\8EudN\90<\D4`\8EudN\A0<\D4`\8EudN\B0< 5\98c\1D\99c<05\98c\1D\99s<05\98c\1D\99\83<05\98c\1D\99\93<25\98c\1D\99\A3<35\98c\1D\99\B3<\9C\A9\C1\1C\EB\C8\9C<\9C\A9\C1\1C\EB\C8\AC<\9C\A9\C1\1C\EB\C8\BC<9S\839\D6\91\B9<s\A6\06s\AC#\B3<\9C35\98c\1D\99<\9E35\98c\1D\A9<\9F35\98c\1D\B9<>gj0\C7:\B2<\F49S\839\D6\91<\F49S\839\D6\A1<\F49S\839\D6\B1<H\9F35\98c\8D<H\9F35\98c\9D<H\9F35\98c\AD<I\9F35\98c\BD<\93>gj0\C7\BA<'}\CE\D4`\8E\B5<\9C\F49S\839\A6<\9C\F49S\839\B6<r\D2\E7L\0D\E6\A8<r\D2\E7L\0D\E6\B8<\E4\A4\CF\99\1A\CC\B1<@N\FA\9C\A9\C1\8C<@N\FA\9C\A9\C1\9C<BN\FA\9C\A9\C1\AC<BN\FA\9C\A9\C1\BC<\84\9C\F49S\83\B9<\089\E9s\A6\06\B3<D\C8I\9F35\98<D\C8I\9F35\A8<E\C8I\9F35\B8<\8B\90\93>gj\B0<\E0\22\E4\A4\CF\99j<\F0\22\E4\A4\CF\99z<\F8\22\E4\A4\CF\99\8A<\FC\22\E4\A4\CF\99\9A<\FC\22\E4\A4\CF\99\AA<\FC\22\E4\A4\CF\99\BA<\F8E\C8I\9F3\B5<\E2\17!'}\CE\A4<\E2\17!'}\CE\B4<\8A_\84\9C\F49\A3<\8B_\84\9C\F49\B3<\\\FC\22\E4\A4\CF\99<\\\FC\22\E4\A4\CF\A9<]\FC\22\E4\A4\CF\B9<\BB\F8E\C8I\9F\B3<\DC\C5/BN\FA\9C<\DE\C5/BN\FA\AC<\DE\C5/BN\FA\BC<\BD\8B_\84\9C\F4\B9<{\17\BF\089\E9\B3<\DC\BB\F8E\C8I\9F<\DE\BB\F8E\C8I\AF<\DF\BB\F8E\C8I\BF<\BFw\F1\8B\90\93\BE<~\EF\E2\17!'\BD<\FC\DE\C5/BN\BA<\F9\BD\8B_\84\9C\B4<\E4\F7.~\11r\A2<\E4\F7.~\11r\B2<$\BFw\F1\8B\90\93<$\BFw\F1\8B\90\A3<%\BFw\F1\8B\90\B3<(\F9\BD\8B_\84\9C<(\F9\BD\8B_\84\AC<(\F9\BD\8B_\84\BC<P\F2{\17\BF\08\B9<\A0\E4\F7.~\11\B2<\04%\BFw\F1\8B\90<\06%\BFw\F1\8B\A0<\07%\BFw\F1\8B\B0<\E0\A0\E4\F7.~q<\E8\A0\E4\F7.~\81<\EC\A0\E4\F7.~\91<\EC\A0\E4\F7.~\A1<\EC\A0\E4\F7.~\B1<\C0\0EJ~\EF\E2\87<\C4\0EJ~\EF\E2\97<\C6\0EJ~\EF\E2\A7<\C7\0EJ~\EF\E2\B7<\1E;(\F9\BD\8B\AF<\1F;(\F9\BD\8B\BF<?vP\F2{\17\BF<\7F\EC\A0\E4\F7.\BE<\FF\D8A\C9\EF]\BC<\FF\B1\83\92\DF\BB\B8<\FFc\07%\BFw\B1<\F0?vP\F2{\87<\F0?vP\F2{\97<\F0?vP\F2{\A7<\F1?vP\F2{\B7<\C4\FF\D8A\C9\EF\AD<\C4\FF\D8A\C9\EF\BD<\89\FF\B1\83\92\DF\BB<\12\FFc\07%\BF\B7<J\FC\8F\1D\94\FC\AE<K\FC\8F\1D\94\FC\BE<\97\F8\1F;(\F9\BD</\F1?vP\F2\BB<_\E2\7F\EC\A0\E4\B7<~\89\FF\B1\83\92\AF<\7F\89\FF\B1\83\92\BF<\FF\12\FFc\07%\BF<\FF%\FE\C7\0EJ\BE<\FFK\FC\8F\1D\94\BC<\FF\97\F8\1F;(\B9<\FF/\F1?vP\B2<\FC\7F\89\FF\B1\83\92<\FC\7F\89\FF\B1\83\A2<\FD\7F\89\FF\B1\83\B2<\EC\FFK\FC\8F\1D\94<\EE\FFK\FC\8F\1D\A4<\EF\FFK\FC\8F\1D\B4<\BC\FF/\F1?v\A0<\BC\FF/\F1?v\B0<\00\EF\FFK\FC\8Fm<\00\EF\FFK\FC\8F}<\00\EF\FFK\FC\8F\8D<\00\EF\FFK\FC\8F\9D<\02\EF\FFK\FC\8F\AD<\02\EF\FFK\FC\8F\BD<\05\DE\FF\97\F8\1F\BB<\0B\BC\FF/\F1?\B6<,\F0\FE\BF\C4\FF\A8<,\F0\FE\BF\C4\FF\B8<Y\E0\FD\7F\89\FF\B1<\98\05\DE\FF\97\F8\8F<\98\05\DE\FF\97\F8\9F<\98\05\DE\FF\97\F8\AF<\98\05\DE\FF\97\F8\BF<0\0B\BC\FF/\F1\BF<`\16x\FF_\E2\BF<\C0,\F0\FE\BF\C4\BF<\80Y\E0\FD\7F\89\BF<\01\B3\C0\FB\FF\12\BF<\03f\81\F7\FF%\BE<\07\CC\02\EF\FFK\BC<\0F\98\05\DE\FF\97\B8<\1F0\0B\BC\FF/\B1<\F8\01\B3\C0\FB\FF\82<\FC\01\B3\C0\FB\FF\92<\FC\01\B3\C0\FB\FF\A2<\FD\01\B3\C0\FB\FF\B2<\EC\0F\98\05\DE\FF\97<\EE\0F\98\05\DE\FF\A7<\EF\0F\98\05\DE\FF\B7<\BC?`\16x\FF\AF<\BC?`\16x\FF\BF<y\7F\C0,\F0\FE\BF<\F2\FE\80Y\E0\FD\BF<\E5\FD\01\B3\C0\FB\BF<\CB\FB\03f\81\F7\BF<\97\F7\07\CC\02\EF\BF</\EF\0F\98\05\DE\BF<^\DE\1F0\0B\BC\BF<\BC\BC?`\16x\BF<xy\7F\C0,\F0\BE<\F1\F2\FE\80Y\E0\BD<\E2\E5\FD\01\B3\C0\BB<\C4\CB\FB\03f\81\B7<\10/\EF\0F\98\05\AE<\11/\EF\0F\98\05\BE<#^\DE\1F0\0B\BC<F\BC\BC?`\16\B8<\8Cxy\7F\C0,\B0<\00F\BC\BC?`V< F\BC\BC?`f< F\BC\BC?`v<(F\BC\BC?`\86<,F\BC\BC?`\96<,F\BC\BC?`\A6<-F\BC\BC?`\B6<\B4\18\F1\F2\FE\80\A9<\B5\18\F1\F2\FE\80\B9<k1\E2\E5\FD\01\B3<X\8B\11/\EF\0F\98<Z\8B\11/\EF\0F\A8<Z\8B\11/\EF\0F\B8<\B4\16#^\DE\1F\B0<\00\B4\16#^\DEO<\00\B4\16#^\DE_<\00\B4\16#^\DEo<\10\B4\16#^\DE\7F<\10\B4\16#^\DE\8F<\14\B4\16#^\DE\9F<\14\B4\16#^\DE\AF<\14\B4\16#^\DE\BF<)h-F\BC\BC\BF<S\D0Z\8Cxy\BF<\A6\A0\B5\18\F1\F2\BE<MAk1\E2\E5\BD<\9B\82\D6b\C4\CB\BB<6\05\AD\C5\88\97\B7<\DA\14\B4\16#^\AE<\DA\14\B4\16#^\BE<\B4)h-F\BC\BC<hS\D0Z\8Cx\B9<\D1\A6\A0\B5\18\F1\B2<\8C6\05\AD\C5\88\97<\8E6\05\AD\C5\88\A7<\8F6\05\AD\C5\88\B7<>\DA\14\B4\16#\AE<>\DA\14\B4\16#\BE<}\B4)h-F\BC<\FBhS\D0Z\8C\B8<\F6\D1\A6\A0\B5\18\B1<h\1Fm\0AZ\8B\81<l\1Fm\0AZ\8B\91<l\1Fm\0AZ\8B\A1<m\1Fm\0AZ\8B\B1<\D0\F6\D1\A6\A0\B5\88<\D0\F6\D1\A6\A0\B5\98<\D2\F6\D1\A6\A0\B5\A8<\D3\F6\D1\A6\A0\B5\B8<\A6\ED\A3MAk\B1<h\DA>\DA\14\B4\86<l\DA>\DA\14\B4\96<l\DA>\DA\14\B4\A6<l\DA>\DA\14\B4\B6<\B2i\FBhS\D0\AA<\B3i\FBhS\D0\BA<g\D3\F6\D1\A6\A0\B5<\9EM\DBG\9B\82\A6<\9FM\DBG\9B\82\B6<~6m\1Fm\0A\AA<~6m\1Fm\0A\BA<\FDl\DA>\DA\14\B4<\F6\B3i\FBhS\A0<\F6\B3i\FBhS\B0<\80\FDl\DA>\DAd<\90\FDl\DA>\DAt<\98\FDl\DA>\DA\84<\9C\FDl\DA>\DA\94<\9E\FDl\DA>\DA\A4<\9E\FDl\DA>\DA\B4<x\F6\B3i\FBh\A3<y\F6\B3i\FBh\B3<\C8\B3\9FM\DBG\9B<\C8\B3\9FM\DBG\AB<\C9\B3\9FM\DBG\BB<\93g?\9B\B6\8F\B6<N\9E\FDl\DA>\AA<O\9E\FDl\DA>\BA<\9F<\FB\D9\B4}\B4<|\F2\ECg\D3\F6\A1<|\F2\ECg\D3\F6\B1<\C8'\CF~6m\8F<\C8'\CF~6m\9F<\CA'\CF~6m\AF<\CB'\CF~6m\BF<\96O\9E\FDl\DA\BE<,\9F<\FB\D9\B4\BD<X>y\F6\B3i\BB<\B0|\F2\ECg\D3\B6<\C2\F2\C9\B3\9FM\AB<\C2\F2\C9\B3\9FM\BB<\84\E5\93g?\9B\B6<\12\96O\9E\FDl\AA<\13\96O\9E\FDl\BA<&,\9F<\FB\D9\B4<\9A\B0|\F2\ECg\A3<\9B\B0|\F2\ECg\B3<\D8\84\E5\93g?\9B<\DA\84\E5\93g?\AB<\DB\84\E5\93g?\BB<\B7\09\CB'\CF~\B6<\DC&,\9F<\FB\A9<\DD&,\9F<\FB\B9<\BAMX>y\F6\B3<\D0m\C2\F2\C9\B3\9F<\D2m\C2\F2\C9\B3\AF<\D3m\C2\F2\C9\B3\BF<\A7\DB\84\E5\93g\BF<O\B7\09\CB'\CF\BE<\9En\13\96O\9E\BD<=\DD&,\9F<\BB<z\BAMX>y\B6<\E8\E96a\F9\E4\A9<\E8\E96a\F9\E4\B9<\D1\D3m\C2\F2\C9\B3<\8C\9En\13\96O\9E<\8C\9En\13\96O\AE<\8C\9En\13\96O\BE<\18=\DD&,\9F\BC<1z\BAMX>\B9<c\F4t\9B\B0|\B2<\1C\A3\A7\DB\84\E5\93<\1E\A3\A7\DB\84\E5\A3<\1F\A3\A7\DB\84\E5\B3<\FC\18=\DD&,\9F<\FC\18=\DD&,\AF<\FD\18=\DD&,\BF<\FB1z\BAMX\BE<\F6c\F4t\9B\B0\BC<\EC\C7\E8\E96a\B9<\D9\8F\D1\D3m\C2\B2<\CC~\8C\9En\13\96<\CC~\8C\9En\13\A6<\CD~\8C\9En\13\B6<4\FB1z\BAM\A8<4\FB1z\BAM\B8<i\F6c\F4t\9B\B0<0\CD~\8C\9Ens<8\CD~\8C\9En\83<<\CD~\8C\9En\93<<\CD~\8C\9En\A3<<\CD~\8C\9En\B3<\E4i\F6c\F4t\9B<\E4i\F6c\F4t\AB<\E5i\F6c\F4t\BB<\CB\D3\EC\C7\E8\E9\B6<.O\B3\1F\A3\A7\AB</O\B3\1F\A3\A7\BB<_\9Ef?FO\B7<~y\9A\FD\18=\AD<\7Fy\9A\FD\18=\BD<\FF\F24\FB1z\BA<\FE\E5i\F6c\F4\B4<\FA\97\A7\D9\8F\D1\A3<\FA\97\A7\D9\8F\D1\B3<\D4\BF<\CD~\8C\9E<\D4\BF<\CD~\8C\AE<\D4\BF<\CD~\8C\BE<\A8\7Fy\9A\FD\18\BD<Q\FF\F24\FB1\BA<\A2\FE\E5i\F6c\B4<\8A\FA\97\A7\D9\8F\A1<\8B\FA\97\A7\D9\8F\B1<\B0\A8\7Fy\9A\FD\88<\B4\A8\7Fy\9A\FD\98<\B4\A8\7Fy\9A\FD\A8<\B5\A8\7Fy\9A\FD\B8<kQ\FF\F24\FB\B1<\B8\16\F5/O\B3\8F<\B8\16\F5/O\B3\9F<\BA\16\F5/O\B3\AF<\BA\16\F5/O\B3\BF<u-\EA_\9Ef\BF<\EAZ\D4\BF<\CD\BE<\D4\B5\A8\7Fy\9A\BD<\A9kQ\FF\F24\BB<R\D7\A2\FE\E5i\B6<H]\8B\FA\97\A7\A9<I]\8B\FA\97\A7\B9<\93\BA\16\F5/O\B3<\9C\D4\B5\A8\7Fy\9A<\9E\D4\B5\A8\7Fy\AA<\9E\D4\B5\A8\7Fy\BA<=\A9kQ\FF\F2\B4<\F6\A4\AEE\FD\CB\A3<\F7\A4\AEE\FD\CB\B3<\B8'u-\EA_\9E<\BA'u-\EA_\AE<\BA'u-\EA_\BE<uO\EAZ\D4\BF\BC<\EB\9E\D4\B5\A8\7F\B9<\D6=\A9kQ\FF\B2<\B0\EEI]\8B\FA\97<\B0\EEI]\8B\FA\A7<\B1\EEI]\8B\FA\B7<\C6\BA'u-\EA\AF<\C7\BA'u-\EA\BF<\8FuO\EAZ\D4\BF<\1F\EB\9E\D4\B5\A8\BF<?\D6=\A9kQ\BF<~\AC{R\D7\A2\BE<\FDX\F7\A4\AEE\BD<\FA\B1\EEI]\8B\BA<\F5c\DD\93\BA\16\B5<\D6\8FuO\EAZ\A4<\D7\8FuO\EAZ\B4<^?\D6=\A9k\A1<_?\D6=\A9k\B1<\F0\F5c\DD\93\BA\86<\F0\F5c\DD\93\BA\96<\F2\F5c\DD\93\BA\A6<\F2\F5c\DD\93\BA\B6<\CA\D7\8FuO\EA\AA<\CB\D7\8FuO\EA\BA<\97\AF\1F\EB\9E\D4\B5<^\BE~\AC{R\A7<_\BE~\AC{R\B7<|\F9\FA\B1\EEI\AD<|\F9\FA\B1\EEI\BD<\F8\F2\F5c\DD\93\BA<\F1\E5\EB\C7\BA'\B5<\C4\97\AF\1F\EB\9E\A4<\C5\97\AF\1F\EB\9E\B4<\16_\BE~\AC{\A2<\17_\BE~\AC{\B2<\BC\F8\F2\F5c\DD\93<\BC\F8\F2\F5c\DD\A3<\BD\F8\F2\F5c\DD\B3<\EC\C5\97\AF\1F\EB\9E<\EC\C5\97\AF\1F\EB\AE<\EC\C5\97\AF\1F\EB\BE<\D9\8B/_?\D6\BD<\B3\17_\BE~\AC\BB<g/\BE|\FDX\B7<\9E\BD\F8\F2\F5c\AD<\9E\BD\F8\F2\F5c\BD<={\F1\E5\EB\C7\BA<z\F6\E2\CB\D7\8F\B5<\E8\D9\8B/_?\A6<\E8\D9\8B/_?\B6<\A0g/\BE|\FD\A8<\A0g/\BE|\FD\B8<A\CF^|\F9\FA\B1<\18\F4\EC\C5\97\AF\8F<\1C\F4\EC\C5\97\AF\9F<\1C\F4\EC\C5\97\AF\AF<\1C\F4\EC\C5\97\AF\BF<9\E8\D9\8B/_\BF<s\D0\B3\17_\BE\BE<\E7\A0g/\BE|\BD<\CEA\CF^|\F9\BA<\9C\83\9E\BD\F8\F2\B5<r\0Ez\F6\E2\CB\A7<s\0Ez\F6\E2\CB\B7<\CE9\E8\D9\8B/\AF<\CF9\E8\D9\8B/\BF<\9Fs\D0\B3\17_\BE<>\E7\A0g/\BE\BC<}\CEA\CF^|\B9<\FB\9C\83\9E\BD\F8\B2<\DC\E7\1C\F4\EC\C5\97<\DE\E7\1C\F4\EC\C5\A7<\DE\E7\1C\F4\EC\C5\B7<x\9Fs\D0\B3\17\AF<x\9Fs\D0\B3\17\BF<\F1>\E7\A0g/\BE<\E2}\CEA\CF^\BC<\C5\FB\9C\83\9E\BD\B8<\8A\F79\07={\B1<\A0x\9Fs\D0\B3\87<\A4x\9Fs\D0\B3\97<\A4x\9Fs\D0\B3\A7<\A5x\9Fs\D0\B3\B7<\94\E2}\CEA\CF\AE<\94\E2}\CEA\CF\BE<)\C5\FB\9C\83\9E\BD<R\8A\F79\07=\BB<\A5\14\EFs\0Ez\B6<\94R\BC\CF9\E8\A9<\94R\BC\CF9\E8\B9<", align 8

@t_811810fe58b0 = internal unnamed_addr constant [8192 x i8] c"\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\C0<\00\00\00\00\00\00\D0<\00\00\00\00\00\00\E4<\00\00\00\00\00\00\F4<\00\00\00\00\00\00\04=\00\00\00\00\00\00\14=\00\00\00\00\00@$=\00\00\00\00\00@4=\00\00\00\00\00PD=\00\00\00\00\00XT=\00\00\00\00\00\\d=\00\00\00\00\00^t=\00\00\00\00\00_\84=\00\00\00\00\00_\94=\00\00\00\00\00_\A4=\00\00\00\00 _\B4=\00\00\00\000_\C4=\00\00\00\000_\D4=\00\00\00\000_\E4=\00\00\00\000_\F4=\00\00\00\000_\04>\00\00\00\000_\14>\00\00\00@0_$>\00\00\00`0_4>\00\00\00`0_D>\00\00\00h0_T>\00\00\00l0_d>\00\00\00l0_t>\00\00\00m0_\84>\00\00\80m0_\94>\00\00\C0m0_\A4>\00\00\C0m0_\B4>\00\00\C0m0_\C4>\00\00\C8m0_\D4>\00\00\C8m0_\E4>\00\00\C8m0_\F4>\00\00\C9m0_\04?\00\80\C9m0_\14?\00\C0\C9m0_$?\00\C0\C9m0_4?\00\C0\C9m0_D?\00\C8\C9m0_T?\00\C8\C9m0_d?\00\C8\C9m0_t?\00\C8\C9m0_\84?\80\C8\C9m0_\94?\80\C8\C9m0_\A4?\80\C8\C9m0_\B4?\80\C8\C9m0_\C4?\80\C8\C9m0_\D4?\80\C8\C9m0_\E4?\82\C8\C9m0_\F4?\82\C8\C9m0_\04@\0A\22'\B7\C1|\F1?\0A\22'\B7\C1|\01@\A8 rr\1B\CC\D7?\A8 rr\1B\CC\E7?\A8 rr\1B\CC\F7?\A9 rr\1B\CC\07@\A4\82\C8\C9m0\FF?\A5\82\C8\C9m0\0F@J\05\91\93\DB`\0E@\94\0A\22'\B7\C1\0C@)\15DNn\83\09@S*\88\9C\DC\06\03@\9CRA\E4\E46\E8?\9ERA\E4\E46\F8?\9FRA\E4\E46\08@?\A5\82\C8\C9m\00@\E0O\A9 rr\BB?\E0O\A9 rr\CB?\E0O\A9 rr\DB?\E0O\A9 rr\EB?\E0O\A9 rr\FB?\E1O\A9 rr\0B@\C2\9FRA\E4\E4\06@\08\7FJ\05\91\93\FB?\09\7FJ\05\91\93\0B@\13\FE\94\0A\22'\07@N\F8S*\88\9C\FC?N\F8S*\88\9C\0C@\9D\F0\A7T\109\09@:\E1O\A9 r\02@\D4\09\7FJ\05\91\E3?\D4\09\7FJ\05\91\F3?\D5\09\7FJ\05\91\03@\ACN\F8S*\88\EC?\AEN\F8S*\88\FC?\AFN\F8S*\88\0C@_\9D\F0\A7T\10\09@\BE:\E1O\A9 \02@\F4\D5\09\7FJ\05\E1?\F4\D5\09\7FJ\05\F1?\F4\D5\09\7FJ\05\01@@_\9D\F0\A7T\D0?D_\9D\F0\A7T\E0?F_\9D\F0\A7T\F0?G_\9D\F0\A7T\00@\E0\D1W'\FC)\B5?\F0\D1W'\FC)\C5?\F0\D1W'\FC)\D5?\F4\D1W'\FC)\E5?\F4\D1W'\FC)\F5?\F5\D1W'\FC)\05@\D4G_\9D\F0\A7\F4?\D4G_\9D\F0\A7\04@R\1F}u\C2\9F\F2?S\1F}u\C2\9F\02@\98\FA\E8\AB\13\FE\E4?\9A\FA\E8\AB\13\FE\F4?\9A\FA\E8\AB\13\FE\04@h\EA\A3\AFN\F8\F3?i\EA\A3\AFN\F8\03@LS\1F}u\C2\EF?LS\1F}u\C2\FF?MS\1F}u\C2\0F@\9B\A6>\FA\EA\84\0F@7M}\F4\D5\09\0F@n\9A\FA\E8\AB\13\0E@\DD4\F5\D1W'\0C@\BBi\EA\A3\AFN\08@w\D3\D4G_\9D\00@\E0n\9A\FA\E8\AB\C3?\E0n\9A\FA\E8\AB\D3?\E0n\9A\FA\E8\AB\E3?\E0n\9A\FA\E8\AB\F3?\E0n\9A\FA\E8\AB\03@\00w\D3\D4G_\ED?\02w\D3\D4G_\FD?\03w\D3\D4G_\0D@\06\EE\A6\A9\8F\BE\0A@\0D\DCMS\1F}\05@6p7M}\F4\F5?6p7M}\F4\05@\DA\C0\DD4\F5\D1\F7?\DB\C0\DD4\F5\D1\07@l\03w\D3\D4G\FF?m\03w\D3\D4G\0F@\DB\06\EE\A6\A9\8F\0E@\B6\0D\DCMS\1F\0D@l\1B\B8\9B\A6>\0A@\D86p7M}\04@b\DB\C0\DD4\F5\F1?b\DB\C0\DD4\F5\01@(\B6\0D\DCMS\DF?(\B6\0D\DCMS\EF?(\B6\0D\DCMS\FF?)\B6\0D\DCMS\0F@Rl\1B\B8\9B\A6\0E@\A5\D86p7M\0D@J\B1m\E0n\9A\0A@\95b\DB\C0\DD4\05@V\8Am\03w\D3\F4?V\8Am\03w\D3\04@X)\B6\0D\DCM\F3?Y)\B6\0D\DCM\03@\CCJ\B1m\E0n\EA?\CCJ\B1m\E0n\FA?\CCJ\B1m\E0n\0A@\99\95b\DB\C0\DD\04@dV\8Am\03w\F3?dV\8Am\03w\03@$\B3Rl\1B\B8\EB?&\B3Rl\1B\B8\FB?'\B3Rl\1B\B8\0B@Of\A5\D86p\07@<\99\95b\DB\C0\FD?<\99\95b\DB\C0\0D@x2+\C5\B6\81\0B@\F1dV\8Am\03\07@\C4\93Y)\B6\0D\FC?\C4\93Y)\B6\0D\0C@\88'\B3Rl\1B\08@\10Of\A5\D86\00@@\88'\B3Rl\AB?`\88'\B3Rl\BB?p\88'\B3Rl\CB?p\88'\B3Rl\DB?p\88'\B3Rl\EB?r\88'\B3Rl\FB?r\88'\B3Rl\0B@\E4\10Of\A5\D8\06@\90C<\99\95b\FB?\90C<\99\95b\0B@ \87x2+\C5\06@\82\1C\E2\C9\AC\14\FB?\82\1C\E2\C9\AC\14\0B@\049\C4\93Y)\06@\10\E4\10Of\A5\F8?\10\E4\10Of\A5\08@ \C8!\9E\CCJ\01@\08\82\1C\E2\C9\AC\D4?\0C\82\1C\E2\C9\AC\E4?\0E\82\1C\E2\C9\AC\F4?\0F\82\1C\E2\C9\AC\04@>\08r\88'\B3\F2??\08r\88'\B3\02@\FCA\90C<\99\E5?\FEA\90C<\99\F5?\FEA\90C<\99\05@\F8\07A\0E\F1d\F6?\F9\07A\0E\F1d\06@\E4\1F\049\C4\93\F9?\E5\1F\049\C4\93\09@\CA?\08r\88'\03@P\FEA\90C<\E9?P\FEA\90C<\F9?Q\FEA\90C<\09@\A2\FC\83 \87x\02@\14\E5\1F\049\C4\E3?\16\E5\1F\049\C4\F3?\16\E5\1F\049\C4\03@\B0(\FF \C8!\EE?\B0(\FF \C8!\FE?\B1(\FF \C8!\0E@cQ\FEA\90C\0C@\C7\A2\FC\83 \87\08@\8EE\F9\07A\0E\01@\E8X\94\7F\10\E4\D0?\E8X\94\7F\10\E4\E0?\EAX\94\7F\10\E4\F0?\EAX\94\7F\10\E4\00@P\1D\8B\F2\0F\82\CC?X\1D\8B\F2\0F\82\DC?\\\1D\8B\F2\0F\82\EC?^\1D\8B\F2\0F\82\FC?^\1D\8B\F2\0F\82\0C@\BD:\16\E5\1F\04\09@{u,\CA?\08\02@\DC\ABcQ\FEA\E0?\DE\ABcQ\FEA\F0?\DE\ABcQ\FEA\00@\A0\F7\EAX\94\7F\B0?\A0\F7\EAX\94\7F\C0?\A8\F7\EAX\94\7F\D0?\AC\F7\EAX\94\7F\E0?\AE\F7\EAX\94\7F\F0?\AE\F7\EAX\94\7F\00@\A0\EB\BD:\16\E5\BF?\B0\EB\BD:\16\E5\CF?\B8\EB\BD:\16\E5\DF?\BC\EB\BD:\16\E5\EF?\BC\EB\BD:\16\E5\FF?\BC\EB\BD:\16\E5\0F@x\D7{u,\CA\0F@\F1\AE\F7\EAX\94\0F@\E2]\EF\D5\B1(\0F@\C5\BB\DE\ABcQ\0E@\8Aw\BDW\C7\A2\0C@\15\EFz\AF\8EE\09@+\DE\F5^\1D\8B\02@X\F1\AE\F7\EAX\E4?X\F1\AE\F7\EAX\F4?X\F1\AE\F7\EAX\04@`\C5\BB\DE\ABc\F1?a\C5\BB\DE\ABc\01@\18V\BC\EB\BD:\D6?\18V\BC\EB\BD:\E6?\1AV\BC\EB\BD:\F6?\1BV\BC\EB\BD:\06@lX\F1\AE\F7\EA\F8?mX\F1\AE\F7\EA\08@\DB\B0\E2]\EF\D5\01@\B8\0D+\DE\F5^\DD?\B8\0D+\DE\F5^\ED?\B8\0D+\DE\F5^\FD?\B9\0D+\DE\F5^\0D@r\1BV\BC\EB\BD\0A@\E46\ACx\D7{\05@\92\DB\B0\E2]\EF\F5?\92\DB\B0\E2]\EF\05@Hn\C3\8Aw\BD\F7?Hn\C3\8Aw\BD\07@\22\B9\0D+\DE\F5\FE?#\B9\0D+\DE\F5\0E@Fr\1BV\BC\EB\0D@\8D\E46\ACx\D7\0B@\1B\C9mX\F1\AE\07@n$\B7a\C5\BB\FE?n$\B7a\C5\BB\0E@\DCHn\C3\8Aw\0D@\B8\91\DC\86\15\EF\0A@q#\B9\0D+\DE\05@\C6\8D\E46\ACx\F7?\C7\8D\E46\ACx\07@\1C7\92\DB\B0\E2\FD?\1D7\92\DB\B0\E2\0D@:n$\B7a\C5\0B@t\DCHn\C3\8A\07@\D2q#\B9\0D+\FE?\D2q#\B9\0D+\0E@\A4\E3Fr\1BV\0C@H\C7\8D\E46\AC\08@\90\8E\1B\C9mX\01@\08\E9\B8\91\DC\86\D5?\08\E9\B8\91\DC\86\E5?\08\E9\B8\91\DC\86\F5?\09\E9\B8\91\DC\86\05@$\A4\E3Fr\1B\F6?$\A4\E3Fr\1B\06@\92\90\8E\1B\C9m\F8?\93\90\8E\1B\C9m\08@&!\1D7\92\DB\00@\D0$\A4\E3Fr\CB?\D8$\A4\E3Fr\DB?\DC$\A4\E3Fr\EB?\DC$\A4\E3Fr\FB?\DD$\A4\E3Fr\0B@\BAIH\C7\8D\E4\06@\E8&!\1D7\92\FB?\E9&!\1D7\92\0B@\D2MB:n$\07@J7\09\E9\B8\91\FC?K7\09\E9\B8\91\0C@\97n\12\D2q#\09@.\DD$\A4\E3F\02@p\E9&!\1D7\E2?p\E9&!\1D7\F2?p\E9&!\1D7\02@\80K7\09\E9\B8\E1?\80K7\09\E9\B8\F1?\80K7\09\E9\B8\01@\00\B8t\93\90\8E\DB?\00\B8t\93\90\8E\EB?\00\B8t\93\90\8E\FB?\01\B8t\93\90\8E\0B@\03p\E9&!\1D\07@\0C\C0\A5\9B\84t\FC?\0C\C0\A5\9B\84t\0C@\19\80K7\09\E9\08@2\00\97n\12\D2\01@ \03p\E9&!\DD?$\03p\E9&!\ED?$\03p\E9&!\FD?$\03p\E9&!\0D@I\06\E0\D2MB\0A@\92\0C\C0\A5\9B\84\04@H2\00\97n\12\F2?I2\00\97n\12\02@H\92\01\B8t\93\E0?J\92\01\B8t\93\F0?K\92\01\B8t\93\00@pI2\00\97n\C2?pI2\00\97n\D2?tI2\00\97n\E2?vI2\00\97n\F2?wI2\00\97n\02@\B8K\92\01\B8t\E3?\BAK\92\01\B8t\F3?\BAK\92\01\B8t\03@\D4]\92\0C\C0\A5\EB?\D4]\92\0C\C0\A5\FB?\D4]\92\0C\C0\A5\0B@\A8\BB$\19\80K\07@\A0\EE\92d\00.\FD?\A0\EE\92d\00.\0D@A\DD%\C9\00\\\0A@\82\BAK\92\01\B8\04@\08\EA.I\06\E0\F2?\09\EA.I\06\E0\02@LPwI2\00\E7?NPwI2\00\F7?NPwI2\00\07@:A\DD%\C9\00\FC?:A\DD%\C9\00\0C@t\82\BAK\92\01\08@\E8\04u\97$\03\00@\00D'\A8\BB$i?\00F'\A8\BB$y?\00F'\A8\BB$\89?\00F'\A8\BB$\99?@F'\A8\BB$\A9?@F'\A8\BB$\B9?@F'\A8\BB$\C9?HF'\A8\BB$\D9?HF'\A8\BB$\E9?HF'\A8\BB$\F9?HF'\A8\BB$\09@\90\8CNPwI\02@\84dt\82\BAK\E2?\86dt\82\BAK\F2?\87dt\82\BAK\02@8$\A3\13\D4]\E2?8$\A3\13\D4]\F2?9$\A3\13\D4]\02@\CC!\19\9D\A0\EE\E2?\CE!\19\9D\A0\EE\F2?\CF!\19\9D\A0\EE\02@|\0E\C9\E8\04u\E7?~\0E\C9\E8\04u\F7?\7F\0E\C9\E8\04u\07@\FC9$\A3\13\D4\FD?\FC9$\A3\13\D4\0D@\F8sHF'\A8\0B@\F0\E7\90\8CNP\07@\C2\9FC2:A\FD?\C3\9FC2:A\0D@\87?\87dt\82\0A@\0E\7F\0E\C9\E8\04\05@:\FC9$\A3\13\F4?;\FC9$\A3\13\04@\EE\F0\E7\90\8CN\F0?\EF\F0\E7\90\8CN\00@\C0;\FC9$\A3\B3?\D0;\FC9$\A3\C3?\D0;\FC9$\A3\D3?\D4;\FC9$\A3\E3?\D6;\FC9$\A3\F3?\D6;\FC9$\A3\03@\B0\DE\E1\CF!\19\ED?\B0\DE\E1\CF!\19\FD?\B1\DE\E1\CF!\19\0D@c\BD\C3\9FC2\0A@\C7z\87?\87d\04@\1C\EB\1D\FE\1C\92\F1?\1C\EB\1D\FE\1C\92\01@\C8\B1\DE\E1\CF!\D9?\C8\B1\DE\E1\CF!\E9?\CA\B1\DE\E1\CF!\F9?\CB\B1\DE\E1\CF!\09@\96c\BD\C3\9FC\02@\B0\1C\EB\1D\FE\1C\E2?\B0\1C\EB\1D\FE\1C\F2?\B1\1C\EB\1D\FE\1C\02@\88\E5X\EF\F0\E7\E0?\88\E5X\EF\F0\E7\F0?\89\E5X\EF\F0\E7\00@ \B1\1C\EB\1D\FE\CC?(\B1\1C\EB\1D\FE\DC?(\B1\1C\EB\1D\FE\EC?(\B1\1C\EB\1D\FE\FC?)\B1\1C\EB\1D\FE\0C@Sb9\D6;\FC\09@\A6\C4r\ACw\F8\03@4%\96c\BD\C3\EF?4%\96c\BD\C3\FF?4%\96c\BD\C3\0F@iJ,\C7z\87\0F@\D3\94X\8E\F5\0E\0F@\A7)\B1\1C\EB\1D\0E@NSb9\D6;\0C@\9C\A6\C4r\ACw\08@9M\89\E5X\EF\00@0\A7)\B1\1C\EB\CD?8\A7)\B1\1C\EB\DD?<\A7)\B1\1C\EB\ED?>\A7)\B1\1C\EB\FD?>\A7)\B1\1C\EB\0D@}NSb9\D6\0B@\FB\9C\A6\C4r\AC\07@\EEs\9A\12\CB\B1\FE?\EEs\9A\12\CB\B1\0E@\DD\E74%\96c\0D@\BA\CFiJ,\C7\0A@t\9F\D3\94X\8E\05@\D0}NSb9\F6?\D1}NSb9\06@D\F79M\89\E5\F8?D\F79M\89\E5\08@\88\EEs\9A\12\CB\01@\80\E8>\A7)\B1\DC?\80\E8>\A7)\B1\EC?\82\E8>\A7)\B1\FC?\82\E8>\A7)\B1\0C@\04\D1}NSb\09@\08\A2\FB\9C\A6\C4\02@D\10\DD\E74%\E6?F\10\DD\E74%\F6?F\10\DD\E74%\06@\1AAt\9F\D3\94\F8?\1AAt\9F\D3\94\08@5\82\E8>\A7)\01@X#\88\EEs\9A\D2?\\#\88\EEs\9A\E2?^#\88\EEs\9A\F2?_#\88\EEs\9A\02@\F8\1AAt\9F\D3\E4?\FA\1AAt\9F\D3\F4?\FA\1AAt\9F\D3\04@\EAk\04\D1}N\F3?\EAk\04\D1}N\03@P_#\88\EEs\EA?R_#\88\EEs\FA?R_#\88\EEs\0A@\A5\BEF\10\DD\E7\04@\96\FA\1AAt\9F\F3?\97\FA\1AAt\9F\03@\B8\D4\D7\08\A2\FB\EC?\BA\D4\D7\08\A2\FB\FC?\BA\D4\D7\08\A2\FB\0C@u\A9\AF\11D\F7\09@\EBR_#\88\EE\03@\\\97\FA\1AAt\EF?\\\97\FA\1AAt\FF?]\97\FA\1AAt\0F@\BB.\F55\82\E8\0E@v]\EAk\04\D1\0D@\ED\BA\D4\D7\08\A2\0B@\DAu\A9\AF\11D\07@h\D7\A5\BEF\10\FD?h\D7\A5\BEF\10\0D@\D1\AEK}\8D \0A@\A2]\97\FA\1AA\04@\88v]\EAk\04\F1?\89v]\EAk\04\01@\90h\D7\A5\BEF\D0?\90h\D7\A5\BEF\E0?\90h\D7\A5\BEF\F0?\90h\D7\A5\BEF\00@ $\DAu\A9\AF\B1? $\DAu\A9\AF\C1? $\DAu\A9\AF\D1?$$\DAu\A9\AF\E1?&$\DAu\A9\AF\F1?'$\DAu\A9\AF\01@pB\A2]\97\FA\DA?tB\A2]\97\FA\EA?tB\A2]\97\FA\FA?tB\A2]\97\FA\0A@\E9\84D\BB.\F5\05@\A6\13\12\ED\BA\D4\F7?\A6\13\12\ED\BA\D4\07@\98NH\B4\EBR\FF?\99NH\B4\EBR\0F@3\9D\90h\D7\A5\0E@g:!\D1\AEK\0D@\CEtB\A2]\97\0A@\9C\E9\84D\BB.\05@p\A6\13\12\ED\BA\F4?q\A6\13\12\ED\BA\04@\C6\99NH\B4\EB\F2?\C7\99NH\B4\EB\02@8\CEtB\A2]\E7?8\CEtB\A2]\F7?8\CEtB\A2]\07@\E08\D3\09\89v\FD?\E08\D3\09\89v\0D@\C0q\A6\13\12\ED\0A@\81\E3L'$\DA\05@\04\8E3\9D\90h\F7?\04\8E3\9D\90h\07@\128\CEtB\A2\FD?\138\CEtB\A2\0D@&p\9C\E9\84D\0B@M\E08\D3\09\89\06@4\81\E3L'$\FA?5\81\E3L'$\0A@k\02\C7\99NH\04@\AC\09\1Cg:!\F1?\AD\09\1Cg:!\01@\D0\9A\C0q\A6\13\D2?\D0\9A\C0q\A6\13\E2?\D0\9A\C0q\A6\13\F2?\D1\9A\C0q\A6\13\02@\88\D6\04\8E3\9D\E0?\8A\D6\04\8E3\9D\F0?\8B\D6\04\8E3\9D\00@p\D1\9A\C0q\A6\C3?x\D1\9A\C0q\A6\D3?|\D1\9A\C0q\A6\E3?|\D1\9A\C0q\A6\F3?}\D1\9A\C0q\A6\03@\EC\8B\D6\04\8E3\ED?\EE\8B\D6\04\8E3\FD?\EF\8B\D6\04\8E3\0D@\DF\17\AD\09\1Cg\0A@\BF/Z\138\CE\04@\FC\BEhM\E08\F3?\FC\BEhM\E08\03@\E4\F7Ek\02\C7\E9?\E4\F7Ek\02\C7\F9?\E4\F7Ek\02\C7\09@\C8\EF\8B\D6\04\8E\03@@~_\B4&p\EC?@~_\B4&p\FC?A~_\B4&p\0C@\82\FC\BEhM\E0\08@\04\F9}\D1\9A\C0\01@H\90\DF\17\AD\09\DC?L\90\DF\17\AD\09\EC?N\90\DF\17\AD\09\FC?N\90\DF\17\AD\09\0C@\9C \BF/Z\13\08@9A~_\B4&\00@\C0\9C \BF/Z\A3?\C0\9C \BF/Z\B3?\C0\9C \BF/Z\C3?\C8\9C \BF/Z\D3?\C8\9C \BF/Z\E3?\C8\9C \BF/Z\F3?\C8\9C \BF/Z\03@D\E6\04\F9}\D1\EA?F\E6\04\F9}\D1\FA?G\E6\04\F9}\D1\0A@\8E\CC\09\F2\FB\A2\05@:2'\C8\EF\8B\F6?:2'\C8\EF\8B\06@\EA\C8\9C \BF/\FA?\EB\C8\9C \BF/\0A@\D6\919A~_\04@XG\E6\04\F9}\F1?XG\E6\04\F9}\01@\88udN\90\DF\D7?\8CudN\90\DF\E7?\8EudN\90\DF\F7?\8EudN\90\DF\07@8\D6\919A~\FF?9\D6\919A~\0F@s\AC#s\82\FC\0E@\E6XG\E6\04\F9\0D@\CC\B1\8E\CC\09\F2\0B@\98c\1D\99\13\E4\07@`\8EudN\90\FF?`\8EudN\90\0F@\C1\1C\EB\C8\9C \0F@\839\D6\919A\0E@\06s\AC#s\82\0C@\0D\E6XG\E6\04\09@\1A\CC\B1\8E\CC\09\02@\D4`\8EudN\E0?\D4`\8EudN\F0?\D4`\8EudN\00@ 5\98c\1D\99\B3?05\98c\1D\99\C3?05\98c\1D\99\D3?05\98c\1D\99\E3?25\98c\1D\99\F3?35\98c\1D\99\03@\9C\A9\C1\1C\EB\C8\EC?\9C\A9\C1\1C\EB\C8\FC?\9C\A9\C1\1C\EB\C8\0C@9S\839\D6\91\09@s\A6\06s\AC#\03@\9C35\98c\1D\E9?\9E35\98c\1D\F9?\9F35\98c\1D\09@>gj0\C7:\02@\F49S\839\D6\E1?\F49S\839\D6\F1?\F49S\839\D6\01@H\9F35\98c\DD?H\9F35\98c\ED?H\9F35\98c\FD?I\9F35\98c\0D@\93>gj0\C7\0A@'}\CE\D4`\8E\05@\9C\F49S\839\F6?\9C\F49S\839\06@r\D2\E7L\0D\E6\F8?r\D2\E7L\0D\E6\08@\E4\A4\CF\99\1A\CC\01@@N\FA\9C\A9\C1\DC?@N\FA\9C\A9\C1\EC?BN\FA\9C\A9\C1\FC?BN\FA\9C\A9\C1\0C@\84\9C\F49S\83\09@\089\E9s\A6\06\03@D\C8I\9F35\E8?D\C8I\9F35\F8?E\C8I\9F35\08@\8B\90\93>gj\00@\E0\22\E4\A4\CF\99\BA?\F0\22\E4\A4\CF\99\CA?\F8\22\E4\A4\CF\99\DA?\FC\22\E4\A4\CF\99\EA?\FC\22\E4\A4\CF\99\FA?\FC\22\E4\A4\CF\99\0A@\F8E\C8I\9F3\05@\E2\17!'}\CE\F4?\E2\17!'}\CE\04@\8A_\84\9C\F49\F3?\8B_\84\9C\F49\03@\\\FC\22\E4\A4\CF\E9?\\\FC\22\E4\A4\CF\F9?]\FC\22\E4\A4\CF\09@\BB\F8E\C8I\9F\03@\DC\C5/BN\FA\EC?\DE\C5/BN\FA\FC?\DE\C5/BN\FA\0C@\BD\8B_\84\9C\F4\09@{\17\BF\089\E9\03@\DC\BB\F8E\C8I\EF?\DE\BB\F8E\C8I\FF?\DF\BB\F8E\C8I\0F@\BFw\F1\8B\90\93\0E@~\EF\E2\17!'\0D@\FC\DE\C5/BN\0A@\F9\BD\8B_\84\9C\04@\E4\F7.~\11r\F2?\E4\F7.~\11r\02@$\BFw\F1\8B\90\E3?$\BFw\F1\8B\90\F3?%\BFw\F1\8B\90\03@(\F9\BD\8B_\84\EC?(\F9\BD\8B_\84\FC?(\F9\BD\8B_\84\0C@P\F2{\17\BF\08\09@\A0\E4\F7.~\11\02@\04%\BFw\F1\8B\E0?\06%\BFw\F1\8B\F0?\07%\BFw\F1\8B\00@\E0\A0\E4\F7.~\C1?\E8\A0\E4\F7.~\D1?\EC\A0\E4\F7.~\E1?\EC\A0\E4\F7.~\F1?\EC\A0\E4\F7.~\01@\C0\0EJ~\EF\E2\D7?\C4\0EJ~\EF\E2\E7?\C6\0EJ~\EF\E2\F7?\C7\0EJ~\EF\E2\07@\1E;(\F9\BD\8B\FF?\1F;(\F9\BD\8B\0F@?vP\F2{\17\0F@\7F\EC\A0\E4\F7.\0E@\FF\D8A\C9\EF]\0C@\FF\B1\83\92\DF\BB\08@\FFc\07%\BFw\01@\F0?vP\F2{\D7?\F0?vP\F2{\E7?\F0?vP\F2{\F7?\F1?vP\F2{\07@\C4\FF\D8A\C9\EF\FD?\C4\FF\D8A\C9\EF\0D@\89\FF\B1\83\92\DF\0B@\12\FFc\07%\BF\07@J\FC\8F\1D\94\FC\FE?K\FC\8F\1D\94\FC\0E@\97\F8\1F;(\F9\0D@/\F1?vP\F2\0B@_\E2\7F\EC\A0\E4\07@~\89\FF\B1\83\92\FF?\7F\89\FF\B1\83\92\0F@\FF\12\FFc\07%\0F@\FF%\FE\C7\0EJ\0E@\FFK\FC\8F\1D\94\0C@\FF\97\F8\1F;(\09@\FF/\F1?vP\02@\FC\7F\89\FF\B1\83\E2?\FC\7F\89\FF\B1\83\F2?\FD\7F\89\FF\B1\83\02@\EC\FFK\FC\8F\1D\E4?\EE\FFK\FC\8F\1D\F4?\EF\FFK\FC\8F\1D\04@\BC\FF/\F1?v\F0?\BC\FF/\F1?v\00@\00\EF\FFK\FC\8F\BD?\00\EF\FFK\FC\8F\CD?\00\EF\FFK\FC\8F\DD?\00\EF\FFK\FC\8F\ED?\02\EF\FFK\FC\8F\FD?\02\EF\FFK\FC\8F\0D@\05\DE\FF\97\F8\1F\0B@\0B\BC\FF/\F1?\06@,\F0\FE\BF\C4\FF\F8?,\F0\FE\BF\C4\FF\08@Y\E0\FD\7F\89\FF\01@\98\05\DE\FF\97\F8\DF?\98\05\DE\FF\97\F8\EF?\98\05\DE\FF\97\F8\FF?\98\05\DE\FF\97\F8\0F@0\0B\BC\FF/\F1\0F@`\16x\FF_\E2\0F@\C0,\F0\FE\BF\C4\0F@\80Y\E0\FD\7F\89\0F@\01\B3\C0\FB\FF\12\0F@\03f\81\F7\FF%\0E@\07\CC\02\EF\FFK\0C@\0F\98\05\DE\FF\97\08@\1F0\0B\BC\FF/\01@\F8\01\B3\C0\FB\FF\D2?\FC\01\B3\C0\FB\FF\E2?\FC\01\B3\C0\FB\FF\F2?\FD\01\B3\C0\FB\FF\02@\EC\0F\98\05\DE\FF\E7?\EE\0F\98\05\DE\FF\F7?\EF\0F\98\05\DE\FF\07@\BC?`\16x\FF\FF?\BC?`\16x\FF\0F@y\7F\C0,\F0\FE\0F@\F2\FE\80Y\E0\FD\0F@\E5\FD\01\B3\C0\FB\0F@\CB\FB\03f\81\F7\0F@\97\F7\07\CC\02\EF\0F@/\EF\0F\98\05\DE\0F@^\DE\1F0\0B\BC\0F@\BC\BC?`\16x\0F@xy\7F\C0,\F0\0E@\F1\F2\FE\80Y\E0\0D@\E2\E5\FD\01\B3\C0\0B@\C4\CB\FB\03f\81\07@\10/\EF\0F\98\05\FE?\11/\EF\0F\98\05\0E@#^\DE\1F0\0B\0C@F\BC\BC?`\16\08@\8Cxy\7F\C0,\00@\00F\BC\BC?`\A6? F\BC\BC?`\B6? F\BC\BC?`\C6?(F\BC\BC?`\D6?,F\BC\BC?`\E6?,F\BC\BC?`\F6?-F\BC\BC?`\06@\B4\18\F1\F2\FE\80\F9?\B5\18\F1\F2\FE\80\09@k1\E2\E5\FD\01\03@X\8B\11/\EF\0F\E8?Z\8B\11/\EF\0F\F8?Z\8B\11/\EF\0F\08@\B4\16#^\DE\1F\00@\00\B4\16#^\DE\9F?\00\B4\16#^\DE\AF?\00\B4\16#^\DE\BF?\10\B4\16#^\DE\CF?\10\B4\16#^\DE\DF?\14\B4\16#^\DE\EF?\14\B4\16#^\DE\FF?\14\B4\16#^\DE\0F@)h-F\BC\BC\0F@S\D0Z\8Cxy\0F@\A6\A0\B5\18\F1\F2\0E@MAk1\E2\E5\0D@\9B\82\D6b\C4\CB\0B@6\05\AD\C5\88\97\07@\DA\14\B4\16#^\FE?\DA\14\B4\16#^\0E@\B4)h-F\BC\0C@hS\D0Z\8Cx\09@\D1\A6\A0\B5\18\F1\02@\8C6\05\AD\C5\88\E7?\8E6\05\AD\C5\88\F7?\8F6\05\AD\C5\88\07@>\DA\14\B4\16#\FE?>\DA\14\B4\16#\0E@}\B4)h-F\0C@\FBhS\D0Z\8C\08@\F6\D1\A6\A0\B5\18\01@h\1Fm\0AZ\8B\D1?l\1Fm\0AZ\8B\E1?l\1Fm\0AZ\8B\F1?m\1Fm\0AZ\8B\01@\D0\F6\D1\A6\A0\B5\D8?\D0\F6\D1\A6\A0\B5\E8?\D2\F6\D1\A6\A0\B5\F8?\D3\F6\D1\A6\A0\B5\08@\A6\ED\A3MAk\01@h\DA>\DA\14\B4\D6?l\DA>\DA\14\B4\E6?l\DA>\DA\14\B4\F6?l\DA>\DA\14\B4\06@\B2i\FBhS\D0\FA?\B3i\FBhS\D0\0A@g\D3\F6\D1\A6\A0\05@\9EM\DBG\9B\82\F6?\9FM\DBG\9B\82\06@~6m\1Fm\0A\FA?~6m\1Fm\0A\0A@\FDl\DA>\DA\14\04@\F6\B3i\FBhS\F0?\F6\B3i\FBhS\00@\80\FDl\DA>\DA\B4?\90\FDl\DA>\DA\C4?\98\FDl\DA>\DA\D4?\9C\FDl\DA>\DA\E4?\9E\FDl\DA>\DA\F4?\9E\FDl\DA>\DA\04@x\F6\B3i\FBh\F3?y\F6\B3i\FBh\03@\C8\B3\9FM\DBG\EB?\C8\B3\9FM\DBG\FB?\C9\B3\9FM\DBG\0B@\93g?\9B\B6\8F\06@N\9E\FDl\DA>\FA?O\9E\FDl\DA>\0A@\9F<\FB\D9\B4}\04@|\F2\ECg\D3\F6\F1?|\F2\ECg\D3\F6\01@\C8'\CF~6m\DF?\C8'\CF~6m\EF?\CA'\CF~6m\FF?\CB'\CF~6m\0F@\96O\9E\FDl\DA\0E@,\9F<\FB\D9\B4\0D@X>y\F6\B3i\0B@\B0|\F2\ECg\D3\06@\C2\F2\C9\B3\9FM\FB?\C2\F2\C9\B3\9FM\0B@\84\E5\93g?\9B\06@\12\96O\9E\FDl\FA?\13\96O\9E\FDl\0A@&,\9F<\FB\D9\04@\9A\B0|\F2\ECg\F3?\9B\B0|\F2\ECg\03@\D8\84\E5\93g?\EB?\DA\84\E5\93g?\FB?\DB\84\E5\93g?\0B@\B7\09\CB'\CF~\06@\DC&,\9F<\FB\F9?\DD&,\9F<\FB\09@\BAMX>y\F6\03@\D0m\C2\F2\C9\B3\EF?\D2m\C2\F2\C9\B3\FF?\D3m\C2\F2\C9\B3\0F@\A7\DB\84\E5\93g\0F@O\B7\09\CB'\CF\0E@\9En\13\96O\9E\0D@=\DD&,\9F<\0B@z\BAMX>y\06@\E8\E96a\F9\E4\F9?\E8\E96a\F9\E4\09@\D1\D3m\C2\F2\C9\03@\8C\9En\13\96O\EE?\8C\9En\13\96O\FE?\8C\9En\13\96O\0E@\18=\DD&,\9F\0C@1z\BAMX>\09@c\F4t\9B\B0|\02@\1C\A3\A7\DB\84\E5\E3?\1E\A3\A7\DB\84\E5\F3?\1F\A3\A7\DB\84\E5\03@\FC\18=\DD&,\EF?\FC\18=\DD&,\FF?\FD\18=\DD&,\0F@\FB1z\BAMX\0E@\F6c\F4t\9B\B0\0C@\EC\C7\E8\E96a\09@\D9\8F\D1\D3m\C2\02@\CC~\8C\9En\13\E6?\CC~\8C\9En\13\F6?\CD~\8C\9En\13\06@4\FB1z\BAM\F8?4\FB1z\BAM\08@i\F6c\F4t\9B\00@0\CD~\8C\9En\C3?8\CD~\8C\9En\D3?<\CD~\8C\9En\E3?<\CD~\8C\9En\F3?<\CD~\8C\9En\03@\E4i\F6c\F4t\EB?\E4i\F6c\F4t\FB?\E5i\F6c\F4t\0B@\CB\D3\EC\C7\E8\E9\06@.O\B3\1F\A3\A7\FB?/O\B3\1F\A3\A7\0B@_\9Ef?FO\07@~y\9A\FD\18=\FD?\7Fy\9A\FD\18=\0D@\FF\F24\FB1z\0A@\FE\E5i\F6c\F4\04@\FA\97\A7\D9\8F\D1\F3?\FA\97\A7\D9\8F\D1\03@\D4\BF<\CD~\8C\EE?\D4\BF<\CD~\8C\FE?\D4\BF<\CD~\8C\0E@\A8\7Fy\9A\FD\18\0D@Q\FF\F24\FB1\0A@\A2\FE\E5i\F6c\04@\8A\FA\97\A7\D9\8F\F1?\8B\FA\97\A7\D9\8F\01@\B0\A8\7Fy\9A\FD\D8?\B4\A8\7Fy\9A\FD\E8?\B4\A8\7Fy\9A\FD\F8?\B5\A8\7Fy\9A\FD\08@kQ\FF\F24\FB\01@\B8\16\F5/O\B3\DF?\B8\16\F5/O\B3\EF?\BA\16\F5/O\B3\FF?\BA\16\F5/O\B3\0F@u-\EA_\9Ef\0F@\EAZ\D4\BF<\CD\0E@\D4\B5\A8\7Fy\9A\0D@\A9kQ\FF\F24\0B@R\D7\A2\FE\E5i\06@H]\8B\FA\97\A7\F9?I]\8B\FA\97\A7\09@\93\BA\16\F5/O\03@\9C\D4\B5\A8\7Fy\EA?\9E\D4\B5\A8\7Fy\FA?\9E\D4\B5\A8\7Fy\0A@=\A9kQ\FF\F2\04@\F6\A4\AEE\FD\CB\F3?\F7\A4\AEE\FD\CB\03@\B8'u-\EA_\EE?\BA'u-\EA_\FE?\BA'u-\EA_\0E@uO\EAZ\D4\BF\0C@\EB\9E\D4\B5\A8\7F\09@\D6=\A9kQ\FF\02@\B0\EEI]\8B\FA\E7?\B0\EEI]\8B\FA\F7?\B1\EEI]\8B\FA\07@\C6\BA'u-\EA\FF?\C7\BA'u-\EA\0F@\8FuO\EAZ\D4\0F@\1F\EB\9E\D4\B5\A8\0F@?\D6=\A9kQ\0F@~\AC{R\D7\A2\0E@\FDX\F7\A4\AEE\0D@\FA\B1\EEI]\8B\0A@\F5c\DD\93\BA\16\05@\D6\8FuO\EAZ\F4?\D7\8FuO\EAZ\04@^?\D6=\A9k\F1?_?\D6=\A9k\01@\F0\F5c\DD\93\BA\D6?\F0\F5c\DD\93\BA\E6?\F2\F5c\DD\93\BA\F6?\F2\F5c\DD\93\BA\06@\CA\D7\8FuO\EA\FA?\CB\D7\8FuO\EA\0A@\97\AF\1F\EB\9E\D4\05@^\BE~\AC{R\F7?_\BE~\AC{R\07@|\F9\FA\B1\EEI\FD?|\F9\FA\B1\EEI\0D@\F8\F2\F5c\DD\93\0A@\F1\E5\EB\C7\BA'\05@\C4\97\AF\1F\EB\9E\F4?\C5\97\AF\1F\EB\9E\04@\16_\BE~\AC{\F2?\17_\BE~\AC{\02@\BC\F8\F2\F5c\DD\E3?\BC\F8\F2\F5c\DD\F3?", align 8

@t_8299d0e7d20d = internal unnamed_addr constant [512 x i8] c"\00\00\00\00\00\00\00\00\00\00\804\00\00\005\00\00\A05\00\00 6\00\00\A06\00\00 7\00\00\A27\00\00\228\00\80\A28\00\C0\229\00\E0\A29\00\F0\22:\00\F8\A2:\00\F8\22;\00\F8\A2;\00\F9\22<\80\F9\A2<\80\F9\22=\80\F9\A2=\80\F9\22>\80\F9\A2>\80\F9\22?\82\F9\A2?\83\F9\22@\0C\E6\8B?\0D\E6\0B@\D8`\BE>\D8`>?\DA`\BE?\DB`>@n\83\F9?n\83y@\DC\06s@\B9\0Df@r\1BL@\E46\18@$\B7A?&\B7\C1?'\B7A@Nn\03@\80\93\DB=\90\93[>\90\93\DB>\90\93[?\90\93\DB?\91\93[@\22'7@\88\9C\DC?\88\9C\\@\1099@@\E4\E4?A\E4d@\82\C8I@\05\91\13@(\88\1C?*\88\9C?*\88\1C@PAd?RA\E4?RAd@\A5\82H@J\05\11@P*\08?R*\88?S*\08@8\A5\82><\A5\02?>\A5\82??\A5\02@\E0O\A9=\E0O)>\E0O\A9>\E0O)?\E0O\A9?\E1O)@\84?\A5?\84?%@\12\FE\94?\13\FE\14@\9C\F0'?\9C\F0\A7?\9D\F0'@t\C2\9F?u\C2\1F@\A8\13~?\AA\13\FE?\AB\13~@W'|@\AFNx@_\9Dp@\BE:a@}uB@\FA\EA\04@@_\1D>@_\9D>D_\1D?F_\9D?G_\1D@<\FAj?>\FA\EA?>\FAj@}\F4U@\FA\E8+@\EA\A3\AF?\EA\A3/@\A8\8F\BE?\A9\8F>@\A6>\FA?\A6>z@M}t@\9A\FAh@4\F5Q@i\EA#@\A6\A9\8F?\A6\A9\0F@h\9A\FA>l\9Az?n\9A\FA?n\9Az@\DD4u@\BBij@w\D3T@\EE\A6)@\B8\9B\A6?\B8\9B&@\E0n\9A?", align 4

@t_be83847ff80a = internal unnamed_addr constant [512 x i8] c"\22'7(\88\9C\DC'\88\9C\\(\1099(@\E4\E4'A\E4d(\82\C8I(\05\91\13((\88\1C'*\88\9C'*\88\1C(PAd'RA\E4'RAd(\A5\82H(J\05\11(P*\08'R*\88'S*\08(8\A5\82&<\A5\02'>\A5\82'?\A5\02(\E0O\A9%\E0O)&\E0O\A9&\E0O)'\E0O\A9'\E1O)(\84?\A5'\84?%(\12\FE\94'\13\FE\14(\9C\F0''\9C\F0\A7'\9D\F0'(t\C2\9F'u\C2\1F(\A8\13~'\AA\13\FE'\AB\13~(W'|(\AFNx(_\9Dp(\BE:a(}uB(\FA\EA\04(@_\1D&@_\9D&D_\1D'F_\9D'G_\1D(<\FAj'>\FA\EA'>\FAj(}\F4U(\FA\E8+(\EA\A3\AF'\EA\A3/(\A8\8F\BE'\A9\8F>(\A6>\FA'\A6>z(M}t(\9A\FAh(4\F5Q(i\EA#(\A6\A9\8F'\A6\A9\0F(h\9A\FA&l\9Az'n\9A\FA'n\9Az(\DD4u(\BBij(w\D3T(\EE\A6)(\B8\9B\A6'\B8\9B&(\E0n\9A'\E0n\1A(\00wS'\02w\D3'\03wS(\06\EE&(\1A\B8\9B'\1B\B8\1B(\D8\C0]'\DA\C0\DD'\DB\C0](\B6\81;(\DA\06\EE'\DB\06n(\B6\0D\\(l\1B8(\B0m\E0'\B1m`(b\DB@(\C5\B6\01(\80b[%\80b\DB%\90b[&\90b\DB&\94b['\94b\DB'\95b[(+\C56(\AC\14\DB'\AC\14[(Y)6(f\A5\D8'f\A5X(\CCJ1(2+\C5'2+E(dV\0A(Hf\A5&Lf%'Nf\A5'Of%(<\99\95'<\99\15(\E0\C9,'\E2\C9\AC'\E2\C9,(\88'\B3'\88'3( \9E\CC'", align 4

@t_d4ec6e104c63 = internal unnamed_addr constant [8192 x i8] c"\D4G_\9D\F0\A7T9\D4G_\9D\F0\A7d9R\1F}u\C2\9FR9S\1F}u\C2\9Fb9\98\FA\E8\AB\13\FED9\9A\FA\E8\AB\13\FET9\9A\FA\E8\AB\13\FEd9h\EA\A3\AFN\F8S9i\EA\A3\AFN\F8c9LS\1F}u\C2O9LS\1F}u\C2_9MS\1F}u\C2o9\9B\A6>\FA\EA\84o97M}\F4\D5\09o9n\9A\FA\E8\AB\13n9\DD4\F5\D1W'l9\BBi\EA\A3\AFNh9w\D3\D4G_\9D`9\E0n\9A\FA\E8\AB#9\E0n\9A\FA\E8\AB39\E0n\9A\FA\E8\ABC9\E0n\9A\FA\E8\ABS9\E0n\9A\FA\E8\ABc9\00w\D3\D4G_M9\02w\D3\D4G_]9\03w\D3\D4G_m9\06\EE\A6\A9\8F\BEj9\0D\DCMS\1F}e96p7M}\F4U96p7M}\F4e9\DA\C0\DD4\F5\D1W9\DB\C0\DD4\F5\D1g9l\03w\D3\D4G_9m\03w\D3\D4Go9\DB\06\EE\A6\A9\8Fn9\B6\0D\DCMS\1Fm9l\1B\B8\9B\A6>j9\D86p7M}d9b\DB\C0\DD4\F5Q9b\DB\C0\DD4\F5a9(\B6\0D\DCMS?9(\B6\0D\DCMSO9(\B6\0D\DCMS_9)\B6\0D\DCMSo9Rl\1B\B8\9B\A6n9\A5\D86p7Mm9J\B1m\E0n\9Aj9\95b\DB\C0\DD4e9V\8Am\03w\D3T9V\8Am\03w\D3d9X)\B6\0D\DCMS9Y)\B6\0D\DCMc9\CCJ\B1m\E0nJ9\CCJ\B1m\E0nZ9\CCJ\B1m\E0nj9\99\95b\DB\C0\DDd9dV\8Am\03wS9dV\8Am\03wc9$\B3Rl\1B\B8K9&\B3Rl\1B\B8[9'\B3Rl\1B\B8k9Of\A5\D86pg9<\99\95b\DB\C0]9<\99\95b\DB\C0m9x2+\C5\B6\81k9\F1dV\8Am\03g9\C4\93Y)\B6\0D\\9\C4\93Y)\B6\0Dl9\88'\B3Rl\1Bh9\10Of\A5\D86`9@\88'\B3Rl\0B9`\88'\B3Rl\1B9p\88'\B3Rl+9p\88'\B3Rl;9p\88'\B3RlK9r\88'\B3Rl[9r\88'\B3Rlk9\E4\10Of\A5\D8f9\90C<\99\95b[9\90C<\99\95bk9 \87x2+\C5f9\82\1C\E2\C9\AC\14[9\82\1C\E2\C9\AC\14k9\049\C4\93Y)f9\10\E4\10Of\A5X9\10\E4\10Of\A5h9 \C8!\9E\CCJa9\08\82\1C\E2\C9\AC49\0C\82\1C\E2\C9\ACD9\0E\82\1C\E2\C9\ACT9\0F\82\1C\E2\C9\ACd9>\08r\88'\B3R9?\08r\88'\B3b9\FCA\90C<\99E9\FEA\90C<\99U9\FEA\90C<\99e9\F8\07A\0E\F1dV9\F9\07A\0E\F1df9\E4\1F\049\C4\93Y9\E5\1F\049\C4\93i9\CA?\08r\88'c9P\FEA\90C<I9P\FEA\90C<Y9Q\FEA\90C<i9\A2\FC\83 \87xb9\14\E5\1F\049\C4C9\16\E5\1F\049\C4S9\16\E5\1F\049\C4c9\B0(\FF \C8!N9\B0(\FF \C8!^9\B1(\FF \C8!n9cQ\FEA\90Cl9\C7\A2\FC\83 \87h9\8EE\F9\07A\0Ea9\E8X\94\7F\10\E409\E8X\94\7F\10\E4@9\EAX\94\7F\10\E4P9\EAX\94\7F\10\E4`9P\1D\8B\F2\0F\82,9X\1D\8B\F2\0F\82<9\\\1D\8B\F2\0F\82L9^\1D\8B\F2\0F\82\\9^\1D\8B\F2\0F\82l9\BD:\16\E5\1F\04i9{u,\CA?\08b9\DC\ABcQ\FEA@9\DE\ABcQ\FEAP9\DE\ABcQ\FEA`9\A0\F7\EAX\94\7F\109\A0\F7\EAX\94\7F 9\A8\F7\EAX\94\7F09\AC\F7\EAX\94\7F@9\AE\F7\EAX\94\7FP9\AE\F7\EAX\94\7F`9\A0\EB\BD:\16\E5\1F9\B0\EB\BD:\16\E5/9\B8\EB\BD:\16\E5?9\BC\EB\BD:\16\E5O9\BC\EB\BD:\16\E5_9\BC\EB\BD:\16\E5o9x\D7{u,\CAo9\F1\AE\F7\EAX\94o9\E2]\EF\D5\B1(o9\C5\BB\DE\ABcQn9\8Aw\BDW\C7\A2l9\15\EFz\AF\8EEi9+\DE\F5^\1D\8Bb9X\F1\AE\F7\EAXD9X\F1\AE\F7\EAXT9X\F1\AE\F7\EAXd9`\C5\BB\DE\ABcQ9a\C5\BB\DE\ABca9\18V\BC\EB\BD:69\18V\BC\EB\BD:F9\1AV\BC\EB\BD:V9\1BV\BC\EB\BD:f9lX\F1\AE\F7\EAX9mX\F1\AE\F7\EAh9\DB\B0\E2]\EF\D5a9\B8\0D+\DE\F5^=9\B8\0D+\DE\F5^M9\B8\0D+\DE\F5^]9\B9\0D+\DE\F5^m9r\1BV\BC\EB\BDj9\E46\ACx\D7{e9\92\DB\B0\E2]\EFU9\92\DB\B0\E2]\EFe9Hn\C3\8Aw\BDW9Hn\C3\8Aw\BDg9\22\B9\0D+\DE\F5^9#\B9\0D+\DE\F5n9Fr\1BV\BC\EBm9\8D\E46\ACx\D7k9\1B\C9mX\F1\AEg9n$\B7a\C5\BB^9n$\B7a\C5\BBn9\DCHn\C3\8Awm9\B8\91\DC\86\15\EFj9q#\B9\0D+\DEe9\C6\8D\E46\ACxW9\C7\8D\E46\ACxg9\1C7\92\DB\B0\E2]9\1D7\92\DB\B0\E2m9:n$\B7a\C5k9t\DCHn\C3\8Ag9\D2q#\B9\0D+^9\D2q#\B9\0D+n9\A4\E3Fr\1BVl9H\C7\8D\E46\ACh9\90\8E\1B\C9mXa9\08\E9\B8\91\DC\8659\08\E9\B8\91\DC\86E9\08\E9\B8\91\DC\86U9\09\E9\B8\91\DC\86e9$\A4\E3Fr\1BV9$\A4\E3Fr\1Bf9\92\90\8E\1B\C9mX9\93\90\8E\1B\C9mh9&!\1D7\92\DB`9\D0$\A4\E3Fr+9\D8$\A4\E3Fr;9\DC$\A4\E3FrK9\DC$\A4\E3Fr[9\DD$\A4\E3Frk9\BAIH\C7\8D\E4f9\E8&!\1D7\92[9\E9&!\1D7\92k9\D2MB:n$g9J7\09\E9\B8\91\\9K7\09\E9\B8\91l9\97n\12\D2q#i9.\DD$\A4\E3Fb9p\E9&!\1D7B9p\E9&!\1D7R9p\E9&!\1D7b9\80K7\09\E9\B8A9\80K7\09\E9\B8Q9\80K7\09\E9\B8a9\00\B8t\93\90\8E;9\00\B8t\93\90\8EK9\00\B8t\93\90\8E[9\01\B8t\93\90\8Ek9\03p\E9&!\1Dg9\0C\C0\A5\9B\84t\\9\0C\C0\A5\9B\84tl9\19\80K7\09\E9h92\00\97n\12\D2a9 \03p\E9&!=9$\03p\E9&!M9$\03p\E9&!]9$\03p\E9&!m9I\06\E0\D2MBj9\92\0C\C0\A5\9B\84d9H2\00\97n\12R9I2\00\97n\12b9H\92\01\B8t\93@9J\92\01\B8t\93P9K\92\01\B8t\93`9pI2\00\97n\229pI2\00\97n29tI2\00\97nB9vI2\00\97nR9wI2\00\97nb9\B8K\92\01\B8tC9\BAK\92\01\B8tS9\BAK\92\01\B8tc9\D4]\92\0C\C0\A5K9\D4]\92\0C\C0\A5[9\D4]\92\0C\C0\A5k9\A8\BB$\19\80Kg9\A0\EE\92d\00.]9\A0\EE\92d\00.m9A\DD%\C9\00\\j9\82\BAK\92\01\B8d9\08\EA.I\06\E0R9\09\EA.I\06\E0b9LPwI2\00G9NPwI2\00W9NPwI2\00g9:A\DD%\C9\00\\9:A\DD%\C9\00l9t\82\BAK\92\01h9\E8\04u\97$\03`9\00D'\A8\BB$\C98\00F'\A8\BB$\D98\00F'\A8\BB$\E98\00F'\A8\BB$\F98@F'\A8\BB$\099@F'\A8\BB$\199@F'\A8\BB$)9HF'\A8\BB$99HF'\A8\BB$I9HF'\A8\BB$Y9HF'\A8\BB$i9\90\8CNPwIb9\84dt\82\BAKB9\86dt\82\BAKR9\87dt\82\BAKb98$\A3\13\D4]B98$\A3\13\D4]R99$\A3\13\D4]b9\CC!\19\9D\A0\EEB9\CE!\19\9D\A0\EER9\CF!\19\9D\A0\EEb9|\0E\C9\E8\04uG9~\0E\C9\E8\04uW9\7F\0E\C9\E8\04ug9\FC9$\A3\13\D4]9\FC9$\A3\13\D4m9\F8sHF'\A8k9\F0\E7\90\8CNPg9\C2\9FC2:A]9\C3\9FC2:Am9\87?\87dt\82j9\0E\7F\0E\C9\E8\04e9:\FC9$\A3\13T9;\FC9$\A3\13d9\EE\F0\E7\90\8CNP9\EF\F0\E7\90\8CN`9\C0;\FC9$\A3\139\D0;\FC9$\A3#9\D0;\FC9$\A339\D4;\FC9$\A3C9\D6;\FC9$\A3S9\D6;\FC9$\A3c9\B0\DE\E1\CF!\19M9\B0\DE\E1\CF!\19]9\B1\DE\E1\CF!\19m9c\BD\C3\9FC2j9\C7z\87?\87dd9\1C\EB\1D\FE\1C\92Q9\1C\EB\1D\FE\1C\92a9\C8\B1\DE\E1\CF!99\C8\B1\DE\E1\CF!I9\CA\B1\DE\E1\CF!Y9\CB\B1\DE\E1\CF!i9\96c\BD\C3\9FCb9\B0\1C\EB\1D\FE\1CB9\B0\1C\EB\1D\FE\1CR9\B1\1C\EB\1D\FE\1Cb9\88\E5X\EF\F0\E7@9\88\E5X\EF\F0\E7P9\89\E5X\EF\F0\E7`9 \B1\1C\EB\1D\FE,9(\B1\1C\EB\1D\FE<9(\B1\1C\EB\1D\FEL9(\B1\1C\EB\1D\FE\\9)\B1\1C\EB\1D\FEl9Sb9\D6;\FCi9\A6\C4r\ACw\F8c94%\96c\BD\C3O94%\96c\BD\C3_94%\96c\BD\C3o9iJ,\C7z\87o9\D3\94X\8E\F5\0Eo9\A7)\B1\1C\EB\1Dn9NSb9\D6;l9\9C\A6\C4r\ACwh99M\89\E5X\EF`90\A7)\B1\1C\EB-98\A7)\B1\1C\EB=9<\A7)\B1\1C\EBM9>\A7)\B1\1C\EB]9>\A7)\B1\1C\EBm9}NSb9\D6k9\FB\9C\A6\C4r\ACg9\EEs\9A\12\CB\B1^9\EEs\9A\12\CB\B1n9\DD\E74%\96cm9\BA\CFiJ,\C7j9t\9F\D3\94X\8Ee9\D0}NSb9V9\D1}NSb9f9D\F79M\89\E5X9D\F79M\89\E5h9\88\EEs\9A\12\CBa9\80\E8>\A7)\B1<9\80\E8>\A7)\B1L9\82\E8>\A7)\B1\\9\82\E8>\A7)\B1l9\04\D1}NSbi9\08\A2\FB\9C\A6\C4b9D\10\DD\E74%F9F\10\DD\E74%V9F\10\DD\E74%f9\1AAt\9F\D3\94X9\1AAt\9F\D3\94h95\82\E8>\A7)a9X#\88\EEs\9A29\\#\88\EEs\9AB9^#\88\EEs\9AR9_#\88\EEs\9Ab9\F8\1AAt\9F\D3D9\FA\1AAt\9F\D3T9\FA\1AAt\9F\D3d9\EAk\04\D1}NS9\EAk\04\D1}Nc9P_#\88\EEsJ9R_#\88\EEsZ9R_#\88\EEsj9\A5\BEF\10\DD\E7d9\96\FA\1AAt\9FS9\97\FA\1AAt\9Fc9\B8\D4\D7\08\A2\FBL9\BA\D4\D7\08\A2\FB\\9\BA\D4\D7\08\A2\FBl9u\A9\AF\11D\F7i9\EBR_#\88\EEc9\\\97\FA\1AAtO9\\\97\FA\1AAt_9]\97\FA\1AAto9\BB.\F55\82\E8n9v]\EAk\04\D1m9\ED\BA\D4\D7\08\A2k9\DAu\A9\AF\11Dg9h\D7\A5\BEF\10]9h\D7\A5\BEF\10m9\D1\AEK}\8D j9\A2]\97\FA\1AAd9\88v]\EAk\04Q9\89v]\EAk\04a9\90h\D7\A5\BEF09\90h\D7\A5\BEF@9\90h\D7\A5\BEFP9\90h\D7\A5\BEF`9 $\DAu\A9\AF\119 $\DAu\A9\AF!9 $\DAu\A9\AF19$$\DAu\A9\AFA9&$\DAu\A9\AFQ9'$\DAu\A9\AFa9pB\A2]\97\FA:9tB\A2]\97\FAJ9tB\A2]\97\FAZ9tB\A2]\97\FAj9\E9\84D\BB.\F5e9\A6\13\12\ED\BA\D4W9\A6\13\12\ED\BA\D4g9\98NH\B4\EBR_9\99NH\B4\EBRo93\9D\90h\D7\A5n9g:!\D1\AEKm9\CEtB\A2]\97j9\9C\E9\84D\BB.e9p\A6\13\12\ED\BAT9q\A6\13\12\ED\BAd9\C6\99NH\B4\EBR9\C7\99NH\B4\EBb98\CEtB\A2]G98\CEtB\A2]W98\CEtB\A2]g9\E08\D3\09\89v]9\E08\D3\09\89vm9\C0q\A6\13\12\EDj9\81\E3L'$\DAe9\04\8E3\9D\90hW9\04\8E3\9D\90hg9\128\CEtB\A2]9\138\CEtB\A2m9&p\9C\E9\84Dk9M\E08\D3\09\89f94\81\E3L'$Z95\81\E3L'$j9k\02\C7\99NHd9\AC\09\1Cg:!Q9\AD\09\1Cg:!a9\D0\9A\C0q\A6\1329\D0\9A\C0q\A6\13B9\D0\9A\C0q\A6\13R9\D1\9A\C0q\A6\13b9\88\D6\04\8E3\9D@9\8A\D6\04\8E3\9DP9\8B\D6\04\8E3\9D`9p\D1\9A\C0q\A6#9x\D1\9A\C0q\A639|\D1\9A\C0q\A6C9|\D1\9A\C0q\A6S9}\D1\9A\C0q\A6c9\EC\8B\D6\04\8E3M9\EE\8B\D6\04\8E3]9\EF\8B\D6\04\8E3m9\DF\17\AD\09\1Cgj9\BF/Z\138\CEd9\FC\BEhM\E08S9\FC\BEhM\E08c9\E4\F7Ek\02\C7I9\E4\F7Ek\02\C7Y9\E4\F7Ek\02\C7i9\C8\EF\8B\D6\04\8Ec9@~_\B4&pL9@~_\B4&p\\9A~_\B4&pl9\82\FC\BEhM\E0h9\04\F9}\D1\9A\C0a9H\90\DF\17\AD\09<9L\90\DF\17\AD\09L9N\90\DF\17\AD\09\\9N\90\DF\17\AD\09l9\9C \BF/Z\13h99A~_\B4&`9\C0\9C \BF/Z\039\C0\9C \BF/Z\139\C0\9C \BF/Z#9\C8\9C \BF/Z39\C8\9C \BF/ZC9\C8\9C \BF/ZS9\C8\9C \BF/Zc9D\E6\04\F9}\D1J9F\E6\04\F9}\D1Z9G\E6\04\F9}\D1j9\8E\CC\09\F2\FB\A2e9:2'\C8\EF\8BV9:2'\C8\EF\8Bf9\EA\C8\9C \BF/Z9\EB\C8\9C \BF/j9\D6\919A~_d9XG\E6\04\F9}Q9XG\E6\04\F9}a9\88udN\90\DF79\8CudN\90\DFG9\8EudN\90\DFW9\8EudN\90\DFg98\D6\919A~_99\D6\919A~o9s\AC#s\82\FCn9\E6XG\E6\04\F9m9\CC\B1\8E\CC\09\F2k9\98c\1D\99\13\E4g9`\8EudN\90_9`\8EudN\90o9\C1\1C\EB\C8\9C o9\839\D6\919An9\06s\AC#s\82l9\0D\E6XG\E6\04i9\1A\CC\B1\8E\CC\09b9\D4`\8EudN@9\D4`\8EudNP9\D4`\8EudN`9 5\98c\1D\99\13905\98c\1D\99#905\98c\1D\993905\98c\1D\99C925\98c\1D\99S935\98c\1D\99c9\9C\A9\C1\1C\EB\C8L9\9C\A9\C1\1C\EB\C8\\9\9C\A9\C1\1C\EB\C8l99S\839\D6\91i9s\A6\06s\AC#c9\9C35\98c\1DI9\9E35\98c\1DY9\9F35\98c\1Di9>gj0\C7:b9\F49S\839\D6A9\F49S\839\D6Q9\F49S\839\D6a9H\9F35\98c=9H\9F35\98cM9H\9F35\98c]9I\9F35\98cm9\93>gj0\C7j9'}\CE\D4`\8Ee9\9C\F49S\839V9\9C\F49S\839f9r\D2\E7L\0D\E6X9r\D2\E7L\0D\E6h9\E4\A4\CF\99\1A\CCa9@N\FA\9C\A9\C1<9@N\FA\9C\A9\C1L9BN\FA\9C\A9\C1\\9BN\FA\9C\A9\C1l9\84\9C\F49S\83i9\089\E9s\A6\06c9D\C8I\9F35H9D\C8I\9F35X9E\C8I\9F35h9\8B\90\93>gj`9\E0\22\E4\A4\CF\99\1A9\F0\22\E4\A4\CF\99*9\F8\22\E4\A4\CF\99:9\FC\22\E4\A4\CF\99J9\FC\22\E4\A4\CF\99Z9\FC\22\E4\A4\CF\99j9\F8E\C8I\9F3e9\E2\17!'}\CET9\E2\17!'}\CEd9\8A_\84\9C\F49S9\8B_\84\9C\F49c9\\\FC\22\E4\A4\CFI9\\\FC\22\E4\A4\CFY9]\FC\22\E4\A4\CFi9\BB\F8E\C8I\9Fc9\DC\C5/BN\FAL9\DE\C5/BN\FA\\9\DE\C5/BN\FAl9\BD\8B_\84\9C\F4i9{\17\BF\089\E9c9\DC\BB\F8E\C8IO9\DE\BB\F8E\C8I_9\DF\BB\F8E\C8Io9\BFw\F1\8B\90\93n9~\EF\E2\17!'m9\FC\DE\C5/BNj9\F9\BD\8B_\84\9Cd9\E4\F7.~\11rR9\E4\F7.~\11rb9$\BFw\F1\8B\90C9$\BFw\F1\8B\90S9%\BFw\F1\8B\90c9(\F9\BD\8B_\84L9(\F9\BD\8B_\84\\9(\F9\BD\8B_\84l9P\F2{\17\BF\08i9\A0\E4\F7.~\11b9\04%\BFw\F1\8B@9\06%\BFw\F1\8BP9\07%\BFw\F1\8B`9\E0\A0\E4\F7.~!9\E8\A0\E4\F7.~19\EC\A0\E4\F7.~A9\EC\A0\E4\F7.~Q9\EC\A0\E4\F7.~a9\C0\0EJ~\EF\E279\C4\0EJ~\EF\E2G9\C6\0EJ~\EF\E2W9\C7\0EJ~\EF\E2g9\1E;(\F9\BD\8B_9\1F;(\F9\BD\8Bo9?vP\F2{\17o9\7F\EC\A0\E4\F7.n9\FF\D8A\C9\EF]l9\FF\B1\83\92\DF\BBh9\FFc\07%\BFwa9\F0?vP\F2{79\F0?vP\F2{G9\F0?vP\F2{W9\F1?vP\F2{g9\C4\FF\D8A\C9\EF]9\C4\FF\D8A\C9\EFm9\89\FF\B1\83\92\DFk9\12\FFc\07%\BFg9J\FC\8F\1D\94\FC^9K\FC\8F\1D\94\FCn9\97\F8\1F;(\F9m9/\F1?vP\F2k9_\E2\7F\EC\A0\E4g9~\89\FF\B1\83\92_9\7F\89\FF\B1\83\92o9\FF\12\FFc\07%o9\FF%\FE\C7\0EJn9\FFK\FC\8F\1D\94l9\FF\97\F8\1F;(i9\FF/\F1?vPb9\FC\7F\89\FF\B1\83B9\FC\7F\89\FF\B1\83R9\FD\7F\89\FF\B1\83b9\EC\FFK\FC\8F\1DD9\EE\FFK\FC\8F\1DT9\EF\FFK\FC\8F\1Dd9\BC\FF/\F1?vP9\BC\FF/\F1?v`9\00\EF\FFK\FC\8F\1D9\00\EF\FFK\FC\8F-9\00\EF\FFK\FC\8F=9\00\EF\FFK\FC\8FM9\02\EF\FFK\FC\8F]9\02\EF\FFK\FC\8Fm9\05\DE\FF\97\F8\1Fk9\0B\BC\FF/\F1?f9,\F0\FE\BF\C4\FFX9,\F0\FE\BF\C4\FFh9Y\E0\FD\7F\89\FFa9\98\05\DE\FF\97\F8?9\98\05\DE\FF\97\F8O9\98\05\DE\FF\97\F8_9\98\05\DE\FF\97\F8o90\0B\BC\FF/\F1o9`\16x\FF_\E2o9\C0,\F0\FE\BF\C4o9\80Y\E0\FD\7F\89o9\01\B3\C0\FB\FF\12o9\03f\81\F7\FF%n9\07\CC\02\EF\FFKl9\0F\98\05\DE\FF\97h9\1F0\0B\BC\FF/a9\F8\01\B3\C0\FB\FF29\FC\01\B3\C0\FB\FFB9\FC\01\B3\C0\FB\FFR9\FD\01\B3\C0\FB\FFb9\EC\0F\98\05\DE\FFG9\EE\0F\98\05\DE\FFW9\EF\0F\98\05\DE\FFg9\BC?`\16x\FF_9\BC?`\16x\FFo9y\7F\C0,\F0\FEo9\F2\FE\80Y\E0\FDo9\E5\FD\01\B3\C0\FBo9\CB\FB\03f\81\F7o9\97\F7\07\CC\02\EFo9/\EF\0F\98\05\DEo9^\DE\1F0\0B\BCo9\BC\BC?`\16xo9xy\7F\C0,\F0n9\F1\F2\FE\80Y\E0m9\E2\E5\FD\01\B3\C0k9\C4\CB\FB\03f\81g9\10/\EF\0F\98\05^9\11/\EF\0F\98\05n9#^\DE\1F0\0Bl9F\BC\BC?`\16h9\8Cxy\7F\C0,`9\00F\BC\BC?`\069 F\BC\BC?`\169 F\BC\BC?`&9(F\BC\BC?`69,F\BC\BC?`F9,F\BC\BC?`V9-F\BC\BC?`f9\B4\18\F1\F2\FE\80Y9\B5\18\F1\F2\FE\80i9k1\E2\E5\FD\01c9X\8B\11/\EF\0FH9Z\8B\11/\EF\0FX9Z\8B\11/\EF\0Fh9\B4\16#^\DE\1F`9\00\B4\16#^\DE\FF8\00\B4\16#^\DE\0F9\00\B4\16#^\DE\1F9\10\B4\16#^\DE/9\10\B4\16#^\DE?9\14\B4\16#^\DEO9\14\B4\16#^\DE_9\14\B4\16#^\DEo9)h-F\BC\BCo9S\D0Z\8Cxyo9\A6\A0\B5\18\F1\F2n9MAk1\E2\E5m9\9B\82\D6b\C4\CBk96\05\AD\C5\88\97g9\DA\14\B4\16#^^9\DA\14\B4\16#^n9\B4)h-F\BCl9hS\D0Z\8Cxi9\D1\A6\A0\B5\18\F1b9\8C6\05\AD\C5\88G9\8E6\05\AD\C5\88W9\8F6\05\AD\C5\88g9>\DA\14\B4\16#^9>\DA\14\B4\16#n9}\B4)h-Fl9\FBhS\D0Z\8Ch9\F6\D1\A6\A0\B5\18a9h\1Fm\0AZ\8B19l\1Fm\0AZ\8BA9l\1Fm\0AZ\8BQ9m\1Fm\0AZ\8Ba9\D0\F6\D1\A6\A0\B589\D0\F6\D1\A6\A0\B5H9\D2\F6\D1\A6\A0\B5X9\D3\F6\D1\A6\A0\B5h9\A6\ED\A3MAka9h\DA>\DA\14\B469l\DA>\DA\14\B4F9l\DA>\DA\14\B4V9l\DA>\DA\14\B4f9\B2i\FBhS\D0Z9\B3i\FBhS\D0j9g\D3\F6\D1\A6\A0e9\9EM\DBG\9B\82V9\9FM\DBG\9B\82f9~6m\1Fm\0AZ9~6m\1Fm\0Aj9\FDl\DA>\DA\14d9\F6\B3i\FBhSP9\F6\B3i\FBhS`9\80\FDl\DA>\DA\149\90\FDl\DA>\DA$9\98\FDl\DA>\DA49\9C\FDl\DA>\DAD9\9E\FDl\DA>\DAT9\9E\FDl\DA>\DAd9x\F6\B3i\FBhS9y\F6\B3i\FBhc9\C8\B3\9FM\DBGK9\C8\B3\9FM\DBG[9\C9\B3\9FM\DBGk9\93g?\9B\B6\8Ff9N\9E\FDl\DA>Z9O\9E\FDl\DA>j9\9F<\FB\D9\B4}d9|\F2\ECg\D3\F6Q9|\F2\ECg\D3\F6a9\C8'\CF~6m?9\C8'\CF~6mO9\CA'\CF~6m_9\CB'\CF~6mo9\96O\9E\FDl\DAn9,\9F<\FB\D9\B4m9X>y\F6\B3ik9\B0|\F2\ECg\D3f9\C2\F2\C9\B3\9FM[9\C2\F2\C9\B3\9FMk9\84\E5\93g?\9Bf9\12\96O\9E\FDlZ9\13\96O\9E\FDlj9&,\9F<\FB\D9d9\9A\B0|\F2\ECgS9\9B\B0|\F2\ECgc9\D8\84\E5\93g?K9\DA\84\E5\93g?[9\DB\84\E5\93g?k9\B7\09\CB'\CF~f9\DC&,\9F<\FBY9\DD&,\9F<\FBi9\BAMX>y\F6c9\D0m\C2\F2\C9\B3O9\D2m\C2\F2\C9\B3_9\D3m\C2\F2\C9\B3o9\A7\DB\84\E5\93go9O\B7\09\CB'\CFn9\9En\13\96O\9Em9=\DD&,\9F<k9z\BAMX>yf9\E8\E96a\F9\E4Y9\E8\E96a\F9\E4i9\D1\D3m\C2\F2\C9c9\8C\9En\13\96ON9\8C\9En\13\96O^9\8C\9En\13\96On9\18=\DD&,\9Fl91z\BAMX>i9c\F4t\9B\B0|b9\1C\A3\A7\DB\84\E5C9\1E\A3\A7\DB\84\E5S9\1F\A3\A7\DB\84\E5c9\FC\18=\DD&,O9\FC\18=\DD&,_9\FD\18=\DD&,o9\FB1z\BAMXn9\F6c\F4t\9B\B0l9\EC\C7\E8\E96ai9\D9\8F\D1\D3m\C2b9\CC~\8C\9En\13F9\CC~\8C\9En\13V9\CD~\8C\9En\13f94\FB1z\BAMX94\FB1z\BAMh9i\F6c\F4t\9B`90\CD~\8C\9En#98\CD~\8C\9En39<\CD~\8C\9EnC9<\CD~\8C\9EnS9<\CD~\8C\9Enc9\E4i\F6c\F4tK9\E4i\F6c\F4t[9\E5i\F6c\F4tk9\CB\D3\EC\C7\E8\E9f9.O\B3\1F\A3\A7[9/O\B3\1F\A3\A7k9_\9Ef?FOg9~y\9A\FD\18=]9\7Fy\9A\FD\18=m9\FF\F24\FB1zj9\FE\E5i\F6c\F4d9\FA\97\A7\D9\8F\D1S9\FA\97\A7\D9\8F\D1c9\D4\BF<\CD~\8CN9\D4\BF<\CD~\8C^9\D4\BF<\CD~\8Cn9\A8\7Fy\9A\FD\18m9Q\FF\F24\FB1j9\A2\FE\E5i\F6cd9\8A\FA\97\A7\D9\8FQ9\8B\FA\97\A7\D9\8Fa9\B0\A8\7Fy\9A\FD89\B4\A8\7Fy\9A\FDH9\B4\A8\7Fy\9A\FDX9\B5\A8\7Fy\9A\FDh9kQ\FF\F24\FBa9\B8\16\F5/O\B3?9\B8\16\F5/O\B3O9\BA\16\F5/O\B3_9\BA\16\F5/O\B3o9u-\EA_\9Efo9\EAZ\D4\BF<\CDn9\D4\B5\A8\7Fy\9Am9\A9kQ\FF\F24k9R\D7\A2\FE\E5if9H]\8B\FA\97\A7Y9I]\8B\FA\97\A7i9\93\BA\16\F5/Oc9\9C\D4\B5\A8\7FyJ9\9E\D4\B5\A8\7FyZ9\9E\D4\B5\A8\7Fyj9=\A9kQ\FF\F2d9\F6\A4\AEE\FD\CBS9\F7\A4\AEE\FD\CBc9\B8'u-\EA_N9\BA'u-\EA_^9\BA'u-\EA_n9uO\EAZ\D4\BFl9\EB\9E\D4\B5\A8\7Fi9\D6=\A9kQ\FFb9\B0\EEI]\8B\FAG9\B0\EEI]\8B\FAW9\B1\EEI]\8B\FAg9\C6\BA'u-\EA_9\C7\BA'u-\EAo9\8FuO\EAZ\D4o9\1F\EB\9E\D4\B5\A8o9?\D6=\A9kQo9~\AC{R\D7\A2n9\FDX\F7\A4\AEEm9\FA\B1\EEI]\8Bj9\F5c\DD\93\BA\16e9\D6\8FuO\EAZT9\D7\8FuO\EAZd9^?\D6=\A9kQ9_?\D6=\A9ka9\F0\F5c\DD\93\BA69\F0\F5c\DD\93\BAF9\F2\F5c\DD\93\BAV9\F2\F5c\DD\93\BAf9\CA\D7\8FuO\EAZ9\CB\D7\8FuO\EAj9\97\AF\1F\EB\9E\D4e9^\BE~\AC{RW9_\BE~\AC{Rg9|\F9\FA\B1\EEI]9|\F9\FA\B1\EEIm9\F8\F2\F5c\DD\93j9\F1\E5\EB\C7\BA'e9\C4\97\AF\1F\EB\9ET9\C5\97\AF\1F\EB\9Ed9\16_\BE~\AC{R9\17_\BE~\AC{b9\BC\F8\F2\F5c\DDC9\BC\F8\F2\F5c\DDS9\BD\F8\F2\F5c\DDc9\EC\C5\97\AF\1F\EBN9\EC\C5\97\AF\1F\EB^9\EC\C5\97\AF\1F\EBn9\D9\8B/_?\D6m9\B3\17_\BE~\ACk9g/\BE|\FDXg9\9E\BD\F8\F2\F5c]9\9E\BD\F8\F2\F5cm9={\F1\E5\EB\C7j9z\F6\E2\CB\D7\8Fe9\E8\D9\8B/_?V9\E8\D9\8B/_?f9\A0g/\BE|\FDX9\A0g/\BE|\FDh9A\CF^|\F9\FAa9\18\F4\EC\C5\97\AF?9\1C\F4\EC\C5\97\AFO9\1C\F4\EC\C5\97\AF_9\1C\F4\EC\C5\97\AFo99\E8\D9\8B/_o9s\D0\B3\17_\BEn9\E7\A0g/\BE|m9\CEA\CF^|\F9j9\9C\83\9E\BD\F8\F2e9r\0Ez\F6\E2\CBW9s\0Ez\F6\E2\CBg9\CE9\E8\D9\8B/_9\CF9\E8\D9\8B/o9\9Fs\D0\B3\17_n9>\E7\A0g/\BEl9}\CEA\CF^|i9\FB\9C\83\9E\BD\F8b9\DC\E7\1C\F4\EC\C5G9\DE\E7\1C\F4\EC\C5W9\DE\E7\1C\F4\EC\C5g9x\9Fs\D0\B3\17_9x\9Fs\D0\B3\17o9\F1>\E7\A0g/n9\E2}\CEA\CF^l9\C5\FB\9C\83\9E\BDh9\8A\F79\07={a9\A0x\9Fs\D0\B379\A4x\9Fs\D0\B3G9\A4x\9Fs\D0\B3W9\A5x\9Fs\D0\B3g9\94\E2}\CEA\CF^9\94\E2}\CEA\CFn9)\C5\FB\9C\83\9Em9R\8A\F79\07=k9\A5\14\EFs\0Ezf9\94R\BC\CF9\E8Y9\94R\BC\CF9\E8i9)\A5x\9Fs\D0c9H)\C5\FB\9C\83N9H)\C5\FB\9C\83^9I)\C5\FB\9C\83n9\92R\8A\F79\07m9%\A5\14\EFs\0Ej9KJ)\DE\E7\1Cd9.)\A5x\9FsP9.)\A5x\9Fs`9\A0KJ)\DE\E7\1C9\A0KJ)\DE\E7,9\A8KJ)\DE\E7<9\A8KJ)\DE\E7L9\A8KJ)\DE\E7\\9\A9KJ)\DE\E7l9S\97\94R\BC\CFi9\A6.)\A5x\9Fc94uI)\C5\FBL94uI)\C5\FB\\95uI)\C5\FBl9k\EA\92R\8A\F7i9\D7\D4%\A5\14\EFc9\BC\A6.)\A5xO9\BE\A6.)\A5x_9\BF\A6.)\A5xo9\7FM]RJ\F1n9\FE\9A\BA\A4\94\E2m9\FD5uI)\C5k9\FBk\EA\92R\8Ag9\EC\AF\A9KJ)^9\ED\AF\A9KJ)n9\DA_S\97\94Rl9\B5\BF\A6.)\A5h9k\7FM]RJa9\B8\F6\D7\D4%\A549\BC\F6\D7\D4%\A5D9\BE\F6\D7\D4%\A5T9\BF\F6\D7\D4%\A5d9\FC\DA_S\97\94R9\FD\DA_S\97\94b9\EC\D7\FE\9A\BA\A4D9\EC\D7\FE\9A\BA\A4T9\EC\D7\FE\9A\BA\A4d9\B0_\FBk\EA\92R9\B1_\FBk\EA\92b9\88\FD\DA_S\97D9\88\FD\DA_S\97T9\88\FD\DA_S\97d9\22\F6k\7FM]R9#\F6k\7FM]b9\1C\B1_\FBk\EAB9\1E\B1_\FBk\EAR9\1F\B1_\FBk\EAb9", align 8
