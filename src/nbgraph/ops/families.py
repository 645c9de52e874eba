"""The public names of operators over whole arrays, by room and family; see the package."""

from __future__ import annotations

ARRAY_FAMILIES: dict[str, str] = {
    "shapes.shape": (
        "reshape ravel transpose permute_dims swapaxes moveaxis matrix_transpose expand_dims "
        "squeeze broadcast_to broadcast_arrays"
    ),
    "shapes.slicing": "slice_view slice_scatter flip diagonal diagonal_scatter",
    "shapes.sections": "split_part split array_split unstack atleast_1d atleast_2d atleast_3d",
    "shapes.creation": "zeros ones full empty arange linspace eye identity tri",
    "shapes.likeness": "full_like zeros_like ones_like empty_like meshgrid",
    "shapes.joining": "concatenate concat stack hstack vstack row_stack dstack column_stack append",
    "shapes.repeating": "tile repeat pad roll shift",
    "elementwise.casting": "astype copy stop_gradient checkpoint clip_gradient",
    "indexing.picking": (
        "embedding index_select pick gather_nd scatter_nd slice_axis slice_channel SliceChannel "
        "choose"
    ),
    "indexing.indexing": "take take_along_axis scatter_along_axis one_hot",
    "indexing.gathering": "gather scatter_add index_update index_add",
    "indexing.sets": (
        "nonzero argwhere extract unique unique_all unique_counts unique_inverse unique_values isin"
    ),
    "ordering.placing": "argmax argmin",
    "ordering.scans": "cumulative_sum cumsum cumulative_prod cumprod linear_recurrence diff",
    "ordering.running": "cummax cummin cumargmax cumargmin logcumsumexp",
    "ordering.sorting": "sort argsort topk searchsorted",
    "reductions.reductions": "sum sum_to prod",
    "reductions.extremes": "max amax min amin any all count_nonzero ptp",
    "reductions.statistics": "mean var std",
    "reductions.others": "reduce_others",
    "reductions.norms": "norm vector_norm",
    "products.sparse": "csr_dot dot_csr sparse_dot",
    "products.linalg": "tril triu trace",
    "products.products": "matmul dot batch_dot vecdot inner outer tensordot",
    "products.contraction": "einsum",
    "products.connected": "fully_connected",
    "normalisation.softmaxes": (
        "softmax softmax_gradient log_softmax log_softmax_gradient logsumexp"
    ),
    "normalisation.projections": "sparsemax sparsemax_gradient",
    "normalisation.standardising": (
        "layer_norm_parts layer_norm_gradient layer_norm_weights rms_norm_parts rms_norm_gradient"
    ),
    "normalisation.norms": "batch_norm layer_norm rms_norm group_norm instance_norm",
    "normalisation.batches": "batch_statistics batch_standard channel_moments channel_sums",
    "losses.entropy": "label_entropy label_entropy_gradient label_entropy_at_once",
    "losses.shares": "target_entropy target_entropy_gradient target_entropy_at_once",
    "losses.losses": (
        "l1_loss l2_loss smooth_l1_loss huber_loss hinge_loss squared_hinge_loss "
        "cosine_embedding_loss cosine_similarity triplet_margin_loss"
    ),
    "losses.likelihoods": (
        "binary_cross_entropy binary_cross_entropy_with_logits logistic_loss focal_loss "
        "kl_divergence cross_entropy softmax_cross_entropy unlikelihood"
    ),
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
}

# By MXNet's names and parameters: other spellings, and what is made of the operators above.
NAMED_FAMILIES: dict[str, str] = {
    "losses.alignments": "CTCLoss ctc_loss",
    "named.spellings": (
        "broadcast_add broadcast_plus elemwise_add broadcast_sub broadcast_minus elemwise_sub "
        "broadcast_mul elemwise_mul broadcast_div elemwise_div broadcast_mod modulo "
        "broadcast_power broadcast_hypot broadcast_maximum broadcast_minimum broadcast_equal "
        "broadcast_not_equal broadcast_greater broadcast_greater_equal broadcast_lesser lesser "
        "broadcast_lesser_equal lesser_equal broadcast_logical_and broadcast_logical_or "
        "broadcast_logical_xor sum_axis max_axis min_axis reverse add_n ElementWiseSum Concat "
        "Cast cast BlockGrad Dropout moments argmax_channel nansum nanprod rcbrt"
    ),
    "named.units": "Activation LeakyReLU SoftmaxActivation softmin",
    "named.reshaping": (
        "Reshape Flatten flatten reshape_like broadcast_like broadcast_axis broadcast_axes "
        "SwapAxis shape_array size_array"
    ),
    "named.cropping": "slice_range slice crop slice_like Crop Pad split_v2 diag",
    "named.resampling": "Pooling ROIPooling UpSampling depth_to_space space_to_depth",
    "named.sequences": "SequenceMask SequenceLast SequenceReverse",
    "named.matrices": (
        "linalg_trsm linalg_trmm linalg_potrf linalg_potri linalg_inverse linalg_det linalg_slogdet"
    ),
    "named.factors": "linalg_syevd linalg_gelqf",
    "named.triangles": (
        "linalg_gemm2 linalg_gemm linalg_syrk linalg_sumlogdiag linalg_extractdiag "
        "linalg_makediag linalg_extracttrian linalg_maketrian khatri_rao"
    ),
    "named.lookups": "Embedding batch_take choose_element_0index fill_element_0index",
    "named.checks": "all_finite multi_all_finite",
    "named.numbering": "ravel_multi_index unravel_index histogram",
    "named.heads": "MakeLoss make_loss SVMOutput",
    "draws.densities": (
        "random_pdf_uniform random_pdf_normal random_pdf_gamma random_pdf_exponential "
        "random_pdf_poisson random_pdf_negative_binomial "
        "random_pdf_generalized_negative_binomial random_pdf_dirichlet"
    ),
    "named.normalising": "LayerNorm InstanceNorm GroupNorm L2Normalization LRN",
}

# These are not the same in every world: what they give is drawn.
RANDOM_FAMILIES: dict[str, str] = {
    "draws.continuous": (
        "random_uniform random_random random_normal random_standard_normal random_lognormal "
        "random_exponential random_standard_exponential random_gumbel random_laplace "
        "random_logistic"
    ),
    "draws.gammas": "random_standard_gamma random_gamma random_beta",
    "draws.discrete": (
        "random_integers random_randint random_poisson random_binomial random_geometric "
        "random_bernoulli"
    ),
    "draws.counts": "random_negative_binomial random_generalized_negative_binomial",
    "draws.categories": (
        "random_categorical random_multinomial random_truncated_normal sample_multinomial"
    ),
    "draws.candidates": "random_unique_zipfian rand_zipfian",
    "draws.orders": "random_permutation random_shuffle random_choice shuffled shuffle",
    "draws.dropout": "dropout",
    "draws.leaks": "rrelu",
}

# These do something besides what they give.
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
