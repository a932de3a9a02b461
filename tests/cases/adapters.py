"""How each case is asked: at which moment, about which tensor, with which loss.

The case files stay as they are. A question is put while the case runs, at one of these moments:

- `return f` (or `return f 1`): the function `f` of the case returns, for the first (second) time;
- `before 21`: line 21 is about to run;
- `error 0`: the first exception that the case's own helper catches, while its frames are alive.

`target`, `loss` and `optimizer` are expressions, evaluated among the names of that function. More names serve what the
case leaves unnamed: RETURNED (what the function returns), ROOTS (tensors that `backward()` started from), READS
(tensors whose `.grad` was read) and ASKED (`(outputs, inputs)` of each `autograd.grad` call). A loss of `ROOTS[-1]` is
left out under a trace, which knows the last root by itself. A question without a target is `explain` of the exception.
"""

from dataclasses import dataclass

ROOT = "ROOTS[-1]"


@dataclass(frozen=True)
class Ask:
    at: str
    target: str | None = None
    loss: str | None = None
    optimizer: str | None = None
    key: str = "main"


ADAPTERS: dict[str, tuple[Ask, ...]] = {
    "forum/02_clamp_rebind": (Ask("return broken", "a", ROOT),),
    "forum/03_scaled_init_non_leaf": (Ask("error 0", "latent"), Ask("error 0", key="error")),
    "forum/05_parameter_dot_to": (Ask("return broken", "net.alpha"), Ask("return broken", "net", key="module")),
    "forum/06_slice_is_a_new_tensor": (
        Ask("error 0", "ASKED[0][1][0]", "ASKED[0][0][0]"),
        Ask("return broken", "ASKED[1][1][0]", "ASKED[1][0][0]", key="silent"),
        Ask("error 0", key="error"),
    ),
    "forum/08_late_retain_grad": (Ask("before 21", "mid", ROOT),),
    "forum/09_retain_grad_returns_none": (Ask("error 0"),),
    "forum/11_stacked_copies_off_path": (Ask("return broken", "history", ROOT),),
    "forum/12_parametrized_weight_grad_none": (
        Ask("return broken", "READS[0]", ROOT),
        Ask("return broken", "lin", ROOT, key="module"),
    ),
    "forum/14_numpy_round_trip": (Ask("return broken", "w", "loss"),),
    "forum/15_item_in_loss": (Ask("return broken", "w", ROOT), Ask("error 0", key="error")),
    "forum/17_factory_with_tensor_argument": (Ask("return <lambda>", "width", "RETURNED"), Ask("error 0", key="error")),
    "forum/18_math_function_on_tensor": (Ask("error 0"), Ask("return broken", "w", key="no loss")),
    "forum/20_metric_used_as_loss": (Ask("return broken", "p", "score"), Ask("error 0", key="error")),
    "forum/21_parameter_wrap_cuts_hypernet": (Ask("return broken", "hyper.weight", ROOT),),
    "forum/23_inner_loop_dot_data": (
        Ask("return broken", "meta.weight", ROOT),
        Ask("return broken", "fast.weight", ROOT, key="fast"),
    ),
    "forum/24_optimizer_step_not_differentiable": (
        Ask("return broken", "lr", ROOT),
        Ask("return broken", "w", ROOT, key="w"),
    ),
    "forum/26_argmax_before_loss": (
        Ask("error 0", "logits", ROOT),
        Ask("return broken", "logits", ROOT, key="patched"),
        Ask("error 0", key="error"),
    ),
    "forum/27_accuracy_as_loss": (Ask("return broken", "score", "acc"), Ask("error 0", key="error")),
    "forum/29_round_gives_zero": (Ask("return broken", "x", ROOT),),
    "forum/30_clamp_zero_outside": (Ask("return broken", "p", ROOT),),
    "forum/32_sample_instead_of_rsample": (
        Ask("before 19", "mu", "draw"),
        Ask("return broken", "mu", "other", key="normal"),
    ),
    "forum/33_no_grad_decorated_library_call": (Ask("error 0"),),
    "forum/35_inference_mode_tensor": (Ask("error 0"),),
    "forum/36_update_rebinds_under_no_grad": (
        Ask("error 0"),
        Ask("error 0", "w", ROOT, key="w"),
        Ask("return broken", "outside", "ROOTS[1]", key="outside"),
    ),
    "forum/38_autocast_cache_now_fixed": (
        Ask("return run", "lin.weight", ROOT),
        Ask("return run", "lin", ROOT, key="module"),
    ),
    "forum/39_eval_mode_myth": (
        Ask("return broken", "m.weight", "ROOTS[0]"),
        Ask("return broken", "m", "ROOTS[0]", key="module"),
        Ask("error 0", "frozen", ROOT, key="frozen"),
    ),
    "forum/41_module_requires_grad_attribute": (Ask("error 0", "frozen", ROOT), Ask("error 0", key="error")),
    "forum/42_from_pretrained_is_frozen": (
        Ask("return broken", "emb.weight", ROOT),
        Ask("return broken", "emb", ROOT, key="module"),
    ),
    "forum/44_flag_set_after_forward": (Ask("return broken", "x", "loss"), Ask("return broken", "w", "loss", key="w")),
    "forum/45_integer_requires_grad": (Ask("error 0"),),
    "forum/47_everything_frozen_lora": (
        Ask("return broken", "adapter.weight", "loss"),
        Ask("error 0", "adapter.weight", "loss", key="before the patch"),
        Ask("error 0", key="error"),
    ),
    "forum/48_python_list_of_layers": (Ask("return broken", "net", ROOT),),
    "forum/50_plain_tensor_attribute": (Ask("return broken", "lay", ROOT),),
    "forum/51_optimizer_holds_stale_params": (
        Ask("return broken", "net", ROOT, "opt"),
        Ask("return broken", "net[0].weight", ROOT, "opt", key="tensor"),
    ),
    "forum/53_shared_storage_is_not_tying": (
        Ask("return broken", "enc.weight", ROOT),
        Ask("return broken", "dec.weight", ROOT, key="dec"),
    ),
    "forum/54_zero_grad_before_looking": (
        Ask("return broken", "lin.weight", ROOT),
        Ask("return broken", "lin", ROOT, "opt", key="module"),
    ),
    "forum/56_forgot_zero_grad": (Ask("return run", "w", ROOT),),
    "forum/57_frozen_rows_still_move": (Ask("return run", "w"),),
    "forum/59_padding_idx_zero_row": (
        Ask("return run", "emb.weight", ROOT),
        Ask("return run", "emb", ROOT, key="module"),
    ),
    "forum/60_inplace_on_leaf": (Ask("error 0"), Ask("error 1", key="index")),
    "forum/62_output_buffer_with_requires_grad": (Ask("error 0"),),
    "forum/63_inplace_on_saved_output": (Ask("error 0"), Ask("error 1", key="exp")),
    "forum/65_iterating_gives_unbind_views": (Ask("error 0"),),
    "forum/66_data_edit_is_silently_wrong": (Ask("return run", "x", ROOT),),
    "forum/68_retain_then_inplace": (Ask("return broken", "y", ROOT), Ask("return broken", "x", ROOT, key="x")),
    "forum/69_backward_twice": (Ask("error 0"),),
    "forum/71_hidden_state_carried_over": (Ask("error 0"), Ask("error 1", key="step")),
    "forum/72_gan_fake_not_detached": (Ask("error 0"),),
    "forum/74_unused_head": (
        Ask("return run", "spare.weight", "loss"),
        Ask("return run", "used.weight", "loss", key="used"),
    ),
    "forum/75_allow_unused_hides_the_cut": (Ask("error 0", "latent", "ASKED[-1][0][0]"), Ask("error 0", key="error")),
    "forum/77_gradient_penalty_without_create_graph": (Ask("error 0", "d.weight", ROOT), Ask("error 0", key="error")),
    "forum/78_penalty_gives_bias_no_grad": (
        Ask("return run", "d[2].bias", ROOT),
        Ask("return run", "d[0].bias", ROOT, key="hidden bias"),
        Ask("return run", "d[0].weight", ROOT, key="weight"),
    ),
    "forum/80_calling_forward_skips_hooks": (Ask("return run", "lin.weight", ROOT),),
    "forum/81_module_hook_runs_before_param_grad": (Ask("return <lambda>", "m.weight"),),
    "forum/83_function_backward_mutates_grad": (Ask("return run", "a", "ASKED[0][0][0]"),),
    "forum/84_training_loop_inside_function": (Ask("error 0", "y", "loss"), Ask("error 0", key="error")),
    "forum/86_where_nan_from_dead_branch": (Ask("return broken", "x", ROOT),),
    "forum/87_mask_after_division": (Ask("return broken", "x", ROOT),),
    "forum/89_mse_broadcast": (Ask("return broken", "p", ROOT),),
    "forum/90_pinn_sum_vs_ones": (Ask("return broken", "x", "ASKED[0][0][0]"),),
    "forum/92_gradient_clamp_without_underscore": (Ask("return run", "w", ROOT),),
    "forum/93_clip_after_step": (Ask("return run", "w", ROOT, "opt"),),
    "forum/95_frozen_flags_overwritten_later": (Ask("return run", "net", ROOT),),
    "forum/W02_rewrap_with_requires_grad": (
        Ask("return run", "before.weight", ROOT),
        Ask("return run", "after.weight", ROOT, key="after"),
    ),
    "forum/W03_retain_graph_everywhere": (Ask("return run", "w", ROOT),),
    "forum/W05_allow_unused_true": (
        Ask("return run", "w", "ASKED[0][0][0]"),
        Ask("return run 1", "w", "ASKED[1][0][0]", key="materialize"),
    ),
    "forum/W06_add_underscore_breaks_the_graph": (Ask("return broken", "x", ROOT),),
    "forum/W08_use_dot_data": (Ask("return broken", "x", ROOT),),
    "forum/W09_filter_the_checkpoint_warning": (
        Ask("return run", "inner.weight", ROOT),
        Ask("return run", "head.weight", ROOT, key="head"),
    ),
    "forum/W11_clone_detach_requires_grad": (Ask("return run", "x", ROOT),),
    "forum/W12_retain_grad_is_a_noop_on_non_leaf": (
        Ask("return fixed", "mid", ROOT),
        Ask("return fixed", "leaf", ROOT, key="leaf"),
        Ask("error 0", key="error"),
    ),
    "forum/W14_detached_init_disconnects_weights": (
        Ask("return run", "lin.weight", ROOT),
        Ask("return run", "lin", ROOT, key="module"),
    ),
    "forum/W15_page_with_wrong_printed_values": (
        Ask("error 1", "x", ROOT),
        Ask("return broken", "y", "ROOTS[0]", key="y"),
        Ask("error 0", key="error"),
        Ask("error 1", key="detached error"),
    ),
    "github/02_view_rebinds_the_name": (Ask("return broken", "row", ROOT),),
    "github/03_slice_is_a_new_tensor_each_time": (Ask("return broken", "READS[-1]", ROOT),),
    "github/05_inplace_write_into_leaf": (Ask("error 0"),),
    "github/06_grad_read_before_backward": (Ask("before 20", "centres", "loss"),),
    "github/08_edge_mask_never_consumed": (Ask("error 0", "mask", "out"), Ask("error 0", key="error")),
    "github/09_learnable_index": (
        Ask("return broken", "place", ROOT),
        Ask("return broken", "scale", ROOT, key="scale"),
    ),
    "github/11_round_gives_zeros_not_none": (Ask("return broken", "w", ROOT),),
    "github/12_clamp_starts_outside_range": (Ask("return broken", "scale", ROOT),),
    "github/14_sample_instead_of_rsample": (Ask("return broken", "mean", "loss"), Ask("error 0", key="error")),
    "github/15_requires_grad_set_on_the_loss": (
        Ask("return broken", "net.weight", "loss"),
        Ask("return broken", "net", "loss", key="module"),
    ),
    "github/17_data_attribute_in_forward": (
        Ask("return run", "layer.weight", ROOT),
        Ask("return run", "x", ROOT, key="x"),
    ),
    "github/18_parameter_wrap_cuts_history": (
        Ask("return broken", "maker", "loss"),
        Ask("return broken", "layer", "loss", key="module"),
    ),
    "github/20_no_grad_around_a_frozen_model": (Ask("return broken", "prompt", "loss"), Ask("error 0", key="error")),
    "github/21_requires_grad_toggled_around_forward": (
        Ask("return run", "w", "loss"),
        Ask("return run 1", "w", "loss", key="frozen after"),
    ),
    "github/23_layer_replaced_after_optimizer": (
        Ask("return run", "emb", ROOT, "opt"),
        Ask("return run", "emb['tok'].weight", ROOT, "opt", key="tensor"),
    ),
    "github/24_optimizer_before_module_conversion": (
        Ask("return run", "net", ROOT, "opt"),
        Ask("return run 1", "net", ROOT, "opt", key="kept"),
    ),
    "github/26_new_parameter_unties_weights": (
        Ask("return run", "emb.weight", ROOT),
        Ask("return run", "head.weight", ROOT, key="head"),
    ),
    "github/27_replaced_layer_thaws": (Ask("return run", "new.weight", ROOT),),
    "github/29_zero_grad_to_zeros_keeps_moving": (
        Ask("return run", "idle", ROOT),
        Ask("return run", "busy", ROOT, key="busy"),
    ),
    "github/30_adam_moves_untouched_embedding_rows": (Ask("return run", "emb", ROOT, "opt"),),
    "github/32_checkpoint_with_frozen_inputs": (
        Ask("return grads", "inner", "loss"),
        Ask("return grads", "head", "loss", key="head"),
    ),
    "github/33_checkpoint_output_in_a_container": (Ask("return broken", "w", "loss"), Ask("error 0", key="error")),
    "github/35_checkpoint_updates_batchnorm_twice": (Ask("return run", "bn", ROOT),),
    "github/36_inference_tensor_meets_autograd": (Ask("error 0"),),
    "github/38_autocast_cache_after_no_grad": (Ask("return run", "layer.weight", ROOT),),
    "github/39_autocast_cache_serves_old_weights": (Ask("return run", "layer", ROOT, "opt"),),
    "github/41_no_grad_leaks_from_a_generator": (Ask("return probe", "w", "loss"),),
    "github/42_relu_output_changed_by_iadd": (
        Ask("error 0"),
        Ask("error 1", key="sigmoid"),
        Ask("error 2", key="exp"),
    ),
    "github/44_data_edit_escapes_the_check": (Ask("return run", "x", "y"),),
    "github/45_detach_after_the_fact": (
        Ask("error 0"),
        Ask("return run", "b", "c", key="b"),
        Ask("return run", "a", "c", key="a"),
    ),
    "github/47_param_grad_is_none_in_module_hook": (Ask("return <lambda>", "m.weight"),),
    "github/48_forward_called_directly_skips_hooks": (Ask("return run", "net", ROOT),),
    "github/50_hook_registered_before_inplace_op": (
        Ask("return run", "t", ROOT),
        Ask("return run", "a", ROOT, key="a"),
    ),
    "github/51_module_hook_and_inplace_relu": (Ask("error 0"),),
    "github/53_passthrough_turns_none_into_zero": (
        Ask("return run", "idle", "first"),
        Ask("return run", "used", "first", key="used"),
    ),
    "github/54_output_stored_on_ctx_leaks": (Ask("return run", "x", ROOT),),
    "github/56_double_backward_through_saved_intermediate": (Ask("return run", "x", "first"),),
    "github/57_where_lets_nan_through": (Ask("return run", "x", ROOT),),
    "github/59_svd_with_equal_singular_values": (Ask("return run", "a", "loss"),),
    "github/60_loss_broadcasts_target": (Ask("return run", "pred", "loss"),),
    "github/62_hidden_state_reused": (Ask("error 0"),),
    "github/63_prediction_outside_lbfgs_closure": (Ask("error 0"),),
    "github/65_gradient_kept_by_reference": (Ask("return run", "w", ROOT),),
    "github/66_discriminator_loss_reaches_generator": (
        Ask("return run", "g", ROOT),
        Ask("return run", "d", ROOT, key="d"),
    ),
    "github/68_mean_of_means_over_microbatches": (Ask("return run", "w", ROOT),),
    "github/69_clip_before_unscale": (Ask("return run", "w", ROOT, "opt"),),
    "github/71_one_element_of_a_vector_loss": (Ask("return run", "rows[0]", ROOT),),
    "github/72_second_backward_adds_up": (Ask("return run", "w", ROOT), Ask("error 0", key="error")),
    "github/74_func_grad_hides_unused_inputs": (Ask("return broken", "params['forgotten']"),),
    "github/75_compiled_module_hides_inner_edges": (Ask("return run", "z", "out"),),
    "github/77_deepcopy_of_a_non_leaf": (Ask("error 0"),),
}
