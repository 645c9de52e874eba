"""The names of operators over whole arrays, by room and family, and where they are listed."""

ARRAY_FAMILIES: dict[str, str] = {
    "shapes.shape": (
        "reshape ravel transpose permute_dims swapaxes moveaxis matrix_transpose expand_dims "
        "squeeze broadcast_to broadcast_arrays"
    ),
    "shapes.slicing": "slice_view slice_scatter flip diagonal diagonal_scatter tril triu",
    "shapes.sections": "split_part split array_split unstack",
    "shapes.creation": "zeros ones full empty arange linspace eye tri full_like meshgrid",
    "shapes.joining": "concatenate concat stack",
    "shapes.repeating": "tile repeat pad roll shift",
    "elementwise.complexes": "real imag angle complex_parts complex_map",
    "elementwise.casting": "astype copy stop_gradient checkpoint clip_gradient",
    "indexing.picking": "embedding pick gather_nd scatter_nd slice_axis choose",
    "indexing.indexing": "take take_along_axis scatter_along_axis one_hot",
    "indexing.gathering": "gather scatter_add",
    "indexing.writing": "index_update index_add",
    "indexing.sets": (
        "nonzero argwhere extract unique unique_all unique_counts unique_inverse unique_values"
    ),
    "ordering.placing": "argmax argmin",
    "ordering.scans": "cumulative_sum cumulative_prod linear_recurrence diff",
    "ordering.running": "cummax cummin cumargmax cumargmin logcumsumexp",
    "ordering.searching": "searchsorted isin",
    "ordering.sorting": "sort argsort topk",
    "reductions.reductions": "sum sum_to prod",
    "reductions.extremes": "max amax min amin any all count_nonzero",
    "reductions.statistics": "mean var std",
    "reductions.others": "reduce_others",
    "reductions.norms": "norm vector_norm",
    "products.sparse": "csr_dot dot_csr sparse_dot",
    "products.products": "matmul dot batch_dot vecdot inner tensordot",
    "products.contraction": "einsum",
    "products.connected": "fully_connected",
    "products.attention": "scaled_dot_product_attention attention_parts attention_gradient",
    "normalisation.softmaxes": "softmax softmax_within log_softmax logsoftmax logsumexp",
    "normalisation.projections": "sparsemax sparsemax_gradient",
    "normalisation.standardising": ("layer_norm_parts layer_norm_weights rms_norm_parts"),
    "normalisation.norms": "batch_norm layer_norm rms_norm group_norm instance_norm",
    "normalisation.batches": "batch_statistics batch_standard channel_moments channel_sums",
    "losses.entropy": (
        "label_entropy label_entropy_gradient label_entropy_at_once target_entropy "
        "target_entropy_gradient target_entropy_at_once"
    ),
    "losses.table": (
        "l1_loss l2_loss smooth_l1_loss huber_loss hinge_loss squared_hinge_loss logistic_loss "
        "binary_cross_entropy binary_cross_entropy_with_logits focal_loss kl_divergence "
        "cosine_embedding_loss triplet_margin_loss"
    ),
    "losses.likelihoods": "cross_entropy softmax_cross_entropy unlikelihood",
    "losses.softmax_outputs": "softmax_output SoftmaxOutput Softmax softmax_output_gradient",
    "losses.outputs": (
        "linear_regression_output LinearRegressionOutput mae_regression_output "
        "MAERegressionOutput logistic_regression_output LogisticRegressionOutput"
    ),
    "windows.regions": "roi_pooling",
    "windows.columns": "im2col col2im",
    "windows.convolutions": "convolution convolution_data convolution_weights",
    "windows.adaptive": "adaptive_avg_pooling adaptive_max_pooling",
    "windows.pools": (
        "max_pooling max_pooling_gradient max_pooling_pick avg_pooling avg_pooling_gradient"
    ),
    "named.layers": "FullyConnected Convolution Deconvolution BatchNorm",
    "composed": (
        "zeros_like ones_like empty_like identity atleast_1d atleast_2d atleast_3d hstack vstack "
        "row_stack dstack column_stack append cumsum cumprod ptp trace outer cosine_similarity "
        "index_select slice_channel SliceChannel random_randn"
    ),
}

# MXNet's names and parameters: other spellings, and compositions of the operators above.
NAMED_FAMILIES: dict[str, str] = {
    "losses.alignments": "CTCLoss ctc_loss",
    "named.spellings": (
        "broadcast_add broadcast_plus elemwise_add broadcast_sub broadcast_minus elemwise_sub "
        "broadcast_mul elemwise_mul broadcast_div elemwise_div broadcast_mod modulo "
        "broadcast_power broadcast_hypot broadcast_maximum broadcast_minimum broadcast_equal "
        "broadcast_not_equal broadcast_greater broadcast_greater_equal broadcast_lesser lesser "
        "broadcast_lesser_equal lesser_equal broadcast_logical_and broadcast_logical_or "
        "broadcast_logical_xor sum_axis max_axis min_axis reverse add_n ElementWiseSum Concat "
        "Cast cast amp_cast BlockGrad Dropout moments argmax_channel nansum nanprod rcbrt "
        "softmin Activation SoftmaxActivation Flatten flatten SwapAxis broadcast_axis "
        "broadcast_axes Pad split_v2 diag batch_take choose_element_0index fill_element_0index "
        "all_finite multi_all_finite ROIPooling depth_to_space space_to_depth "
        "SequenceMask SequenceLast SequenceReverse AdaptiveAvgPooling2D"
    ),
    "named.composites": "rows_like",
    "named.units": "LeakyReLU",
    "named.recurrent": "RNN rnn_layers",
    "named.reshaping": "Reshape reshape_like broadcast_like shape_array size_array",
    "named.cropping": "slice_range slice crop slice_like Crop",
    "named.resampling": "Pooling UpSampling",
    "named.spatial": (
        "GridGenerator BilinearSampler SpatialTransformer Correlation BilinearResize2D"
    ),
    "named.contrib": (
        "quadratic div_sqrt_dim multi_sum_sq index_copy boolean_mask round_ste sign_ste "
        "gradientmultiplier arange_like index_array box_iou box_nms MultiBoxPrior "
        "interleaved_matmul_selfatt_qk "
        "interleaved_matmul_selfatt_valatt interleaved_matmul_encdec_qk "
        "interleaved_matmul_encdec_valatt"
    ),
    "named.detection": "MultiBoxTarget MultiBoxDetection",
    "named.matrices": (
        "linalg_trsm linalg_trmm linalg_potrf linalg_potri linalg_inverse linalg_det "
        "linalg_slogdet linalg_syevd linalg_gelqf"
    ),
    "named.triangles": (
        "linalg_gemm2 linalg_gemm linalg_syrk linalg_sumlogdiag linalg_extractdiag "
        "linalg_makediag linalg_extracttrian linalg_maketrian khatri_rao"
    ),
    "fft.transforms": (
        "fft_complex fft_real fft_hermitian fft_fft fft_ifft fft_fftn fft_ifftn fft_fft2 fft_ifft2 "
        "fft_rfft fft_irfft fft_rfftn fft_irfftn fft_rfft2 fft_irfft2 fft_hfft fft_ihfft "
        "fft_fftshift fft_ifftshift fft_fftfreq fft_rfftfreq"
    ),
    "linalg.table": (
        "linalg_solve linalg_inv linalg_cholesky linalg_qr linalg_svd linalg_svdvals "
        "linalg_eigh linalg_eigvalsh linalg_eig linalg_eigvals linalg_pinv linalg_lstsq "
        "linalg_matrix_rank linalg_matrix_power linalg_expm linalg_matrix_norm "
        "linalg_vector_norm linalg_norm linalg_cond linalg_cross linalg_diagonal "
        "linalg_trace linalg_outer linalg_multi_dot linalg_tensorinv linalg_tensorsolve"
    ),
    "named.lookups": "Embedding",
    "named.numbering": "ravel_multi_index unravel_index histogram",
    "losses.heads": "MakeLoss make_loss SVMOutput",
    "draws.densities": (
        "random_pdf_uniform random_pdf_normal random_pdf_gamma random_pdf_exponential "
        "random_pdf_poisson random_pdf_negative_binomial "
        "random_pdf_generalized_negative_binomial random_pdf_dirichlet"
    ),
    "named.normalising": "LayerNorm InstanceNorm GroupNorm L2Normalization LRN",
}

# Their results are drawn, so they differ between worlds.
RANDOM_FAMILIES: dict[str, str] = {
    "draws.distributions": (
        "random_uniform random_random random_normal random_standard_normal random_lognormal "
        "random_exponential random_standard_exponential random_gumbel random_laplace "
        "random_logistic random_standard_gamma random_gamma random_beta random_poisson "
        "random_binomial random_geometric random_bernoulli random_negative_binomial "
        "random_generalized_negative_binomial uniform normal sample_uniform sample_normal "
        "sample_gamma sample_exponential sample_poisson sample_negative_binomial "
        "sample_generalized_negative_binomial random_uniform_like random_normal_like "
        "random_gamma_like random_exponential_like random_poisson_like "
        "random_negative_binomial_like random_generalized_negative_binomial_like"
    ),
    "draws.integers": "random_integers random_randint",
    "draws.categories": (
        "random_categorical random_multinomial random_truncated_normal sample_multinomial"
    ),
    "draws.candidates": "random_unique_zipfian rand_zipfian",
    "draws.orders": "random_permutation random_shuffle random_choice shuffled shuffle",
    "draws.dropout": "dropout rrelu",
}

# These have effects besides their results.
EFFECT_FAMILIES: dict[str, str] = {
    "debug": "debug",
    "updates.steps": (
        "sgd_update sgd_mom_update nag_mom_update adam_update rmsprop_update rmspropalex_update "
        "ftrl_update ftml_update signsgd_update signum_update lamb_update_phase1 "
        "lamb_update_phase2 mp_sgd_update mp_sgd_mom_update mp_nag_mom_update "
        "mp_lamb_update_phase1 mp_lamb_update_phase2 multi_sgd_update multi_sgd_mom_update "
        "multi_mp_sgd_update multi_mp_sgd_mom_update"
    ),
}

# Operators used within other operators: gradients, parts, terms of losses. Saved graphs contain
# their names, which `ng.nd` and `ng.sym` have but do not list; `ng` refuses them.
INTERNAL: frozenset[str] = frozenset(
    """
    l1_term l2_term smooth_l1_term huber_term hinge_term squared_hinge_term cosine_term binary_term
    binary_logits_term logistic_term focal_term divergence_term log_divergence_term
    unlikelihood_term uniform_log_density normal_log_density exponential_log_density
    gamma_log_density poisson_log_density negative_binomial_log_density dispersed_log_density
    softmax_within sparsemax_gradient layer_norm_parts layer_norm_weights rms_norm_parts
    batch_statistics batch_standard
    channel_moments channel_sums label_entropy label_entropy_gradient label_entropy_at_once
    target_entropy target_entropy_gradient target_entropy_at_once softmax_output_gradient
    convolution_data convolution_weights max_pooling_gradient max_pooling_pick avg_pooling_gradient
    attention_parts attention_gradient fft_complex fft_real fft_hermitian complex_parts complex_map
    rows_like split_part slice_view slice_scatter diagonal_scatter slice_range reduce_others sum_to
    shuffled third_power replace_nan replace_nonfinite rnn_layers
    """.split()
)
_SHOWN = "histogram ravel_multi_index unravel_index nansum nanprod diag ctc_loss dropout debug"
# Attributes of `ng` that only `ng.nd` and `ng.sym` list: MXNet's and Marian's spellings, SciPy's
# and the array API's where NumPy has its own, and the draws, which `ng.random` lists.
OTHER_SPELLINGS: frozenset[str] = (
    frozenset(
        """
    true_divide mod abs pow bitwise_invert bitwise_not bitwise_left_shift bitwise_right_shift fix
    around asin acos atan atan2 asinh acosh atanh rad2deg deg2rad gammaln psi swish expit
    permute_dims concat row_stack amax amin matrix_transpose cumulative_sum cumulative_prod
    real imag conj conjugate angle unique_all unique_counts unique_inverse unique_values
    shift highway clip_gradient csr_dot dot_csr unlikelihood
    index_select pick gather_nd scatter_nd slice_axis slice_channel SliceChannel batch_dot norm
    logsoftmax softmax_output SoftmaxOutput Softmax linear_regression_output LinearRegressionOutput
    mae_regression_output MAERegressionOutput logistic_regression_output LogisticRegressionOutput
    softmax_cross_entropy roi_pooling im2col col2im
    FullyConnected Convolution Deconvolution BatchNorm random_randn
    """.split()
    )
    .union(
        *[
            names.split()
            for families in (NAMED_FAMILIES, RANDOM_FAMILIES, EFFECT_FAMILIES)
            for names in families.values()
        ]
    )
    .difference(_SHOWN.split(), INTERNAL)
)
