"""What must be said of each case: the cause to repair first, and the lines that may be named for it.

Found by reading and running each case. A key names one of the questions of `adapters.py`; "main" is the one that
counts.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Want:
    """One right answer.

    `root`: the cause, or None where nothing is to be repaired. `lines`: with a trace one of them must be named, unless
    empty. `symptoms`: true, but not the root. `also`: other causes that are true of the case. `blind`: the gradient is
    there, so that without a trace nothing needs to be noticed. `values`: needs the recorded values.
    """

    root: str | None
    lines: tuple[int, ...] = ()
    symptoms: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    blind: bool = False
    values: bool = False
    scored: bool = True


def fine(*also: str) -> Want:
    """Nothing to repair; any alarm is false, except for the causes named."""
    return Want(None, also=also)


def outside(*also: str) -> Want:
    """Beyond what diagnose can know: any answer is right that claims none but these causes."""
    return Want(None, also=also, scored=False)


NO_GRAPH = ("loss_has_no_graph",)
ZERO = ("zero_derivative", "materialized_zero")

EXPECTED: dict[str, dict[str, Want]] = {
    "forum/02_clamp_rebind": {"main": Want("shadowed_leaf", (16,))},
    "forum/03_scaled_init_non_leaf": {
        "main": Want("shadowed_leaf", (16,)),
        "error": Want("shadowed_leaf", also=("not_a_leaf",)),
    },
    "forum/05_parameter_dot_to": {
        "main": Want("shadowed_leaf", (19,)),
        "module": outside("shadowed_leaf", "unregistered_parameter", "no_backward", "not_a_leaf"),
    },
    "forum/06_slice_is_a_new_tensor": {
        "main": Want("off_the_path", (18,)),
        "silent": Want("off_the_path", (19,)),
        "error": Want("off_the_path", also=("unused",)),
    },
    "forum/08_late_retain_grad": {"main": Want("retained_late", (19,))},
    "forum/09_retain_grad_returns_none": {"main": outside()},
    "forum/11_stacked_copies_off_path": {"main": Want("off_the_path", (23,))},
    "forum/12_parametrized_weight_grad_none": {
        "main": Want("not_a_leaf", (24,), also=("off_the_path",)),
        "module": fine(),
    },
    "forum/14_numpy_round_trip": {"main": Want("left_torch", (18,), also=("detached",))},
    "forum/15_item_in_loss": {
        "main": Want("left_torch", (18,), symptoms=("loss_patched",)),
        "error": outside("left_torch"),
    },
    "forum/17_factory_with_tensor_argument": {
        "main": Want("left_torch", (16,), symptoms=NO_GRAPH),
        "error": outside("left_torch"),
    },
    "forum/18_math_function_on_tensor": {
        "main": Want("left_torch", (20,)),
        "no loss": outside("left_torch", "no_backward"),
    },
    "forum/20_metric_used_as_loss": {
        "main": Want("detached", (19,), symptoms=NO_GRAPH),
        "error": Want("detached", (19,), symptoms=NO_GRAPH),
    },
    "forum/21_parameter_wrap_cuts_hypernet": {"main": Want("rewrapped", (20,))},
    "forum/23_inner_loop_dot_data": {"main": Want("rewrapped", (20,)), "fast": fine()},
    "forum/24_optimizer_step_not_differentiable": {"main": Want("grad_mode_off", (19,)), "w": fine()},
    "forum/26_argmax_before_loss": {
        "main": Want("not_differentiable", (17,), symptoms=NO_GRAPH),
        "patched": Want("not_differentiable", (17,), also=("loss_patched",)),
        "error": Want("not_differentiable", (17,), symptoms=NO_GRAPH),
    },
    "forum/27_accuracy_as_loss": {
        "main": Want("not_differentiable", (17,), symptoms=NO_GRAPH),
        "error": Want("not_differentiable", (17,), symptoms=NO_GRAPH),
    },
    "forum/29_round_gives_zero": {"main": Want("zero_derivative", (16,))},
    "forum/30_clamp_zero_outside": {"main": Want("zero_derivative", (17,), blind=True, values=True)},
    "forum/32_sample_instead_of_rsample": {
        "main": Want("grad_mode_off", (17,), symptoms=NO_GRAPH),
        "normal": Want("zero_derivative", (18,)),
    },
    "forum/33_no_grad_decorated_library_call": {"main": Want("grad_mode_off", (23,), symptoms=NO_GRAPH)},
    "forum/35_inference_mode_tensor": {"main": Want("inference_tensor", (17, 18))},
    "forum/36_update_rebinds_under_no_grad": {
        "main": Want("grad_mode_off", (18,), symptoms=NO_GRAPH),
        "w": outside("grad_mode_off", "accumulated", *NO_GRAPH),
        "outside": outside("shadowed_leaf", "not_a_leaf"),
    },
    "forum/38_autocast_cache_now_fixed": {"main": fine(), "module": fine()},
    "forum/39_eval_mode_myth": {
        "main": fine(),
        "module": fine(),
        "frozen": outside("frozen", "loss_has_no_graph"),
    },
    "forum/41_module_requires_grad_attribute": {
        "main": Want("flag_on_module", symptoms=NO_GRAPH, also=("frozen",)),
        "error": Want("flag_on_module", symptoms=NO_GRAPH, also=("frozen",)),
    },
    "forum/42_from_pretrained_is_frozen": {
        "main": Want("frozen", (18,)),
        "module": outside("frozen"),
    },
    "forum/44_flag_set_after_forward": {"main": Want("flag_too_late", (17,)), "w": fine()},
    "forum/45_integer_requires_grad": {"main": Want("integer_dtype", (16,))},
    "forum/47_everything_frozen_lora": {
        "main": Want("unused", symptoms=("loss_patched", *NO_GRAPH), also=("frozen",)),
        "before the patch": Want("unused", symptoms=NO_GRAPH, also=("frozen",)),
        "error": Want("unused", symptoms=NO_GRAPH, also=("frozen",)),
    },
    "forum/48_python_list_of_layers": {"main": Want("unregistered_parameter")},
    "forum/50_plain_tensor_attribute": {"main": Want("unregistered_parameter")},
    "forum/51_optimizer_holds_stale_params": {"main": Want("stale_optimizer"), "tensor": Want("stale_optimizer")},
    "forum/53_shared_storage_is_not_tying": {"main": fine(), "dec": fine()},
    "forum/54_zero_grad_before_looking": {
        "main": Want("grad_cleared", (20,)),
        "module": outside("grad_cleared"),
    },
    "forum/56_forgot_zero_grad": {"main": Want("accumulated", (18,), blind=True)},
    "forum/57_frozen_rows_still_move": {"main": outside("no_backward")},
    "forum/59_padding_idx_zero_row": {"main": outside(*ZERO), "module": outside(*ZERO)},
    "forum/60_inplace_on_leaf": {"main": Want("inplace_on_leaf", (16,)), "index": Want("inplace_on_leaf", (16,))},
    "forum/62_output_buffer_with_requires_grad": {"main": Want("inplace_on_leaf", (19,))},
    "forum/63_inplace_on_saved_output": {
        "main": Want("inplace_on_saved", (20,)),
        "exp": Want("inplace_on_saved", (20,)),
    },
    "forum/65_iterating_gives_unbind_views": {"main": Want("inplace_on_view", (21,))},
    "forum/66_data_edit_is_silently_wrong": {"main": Want("edited_through_data", (25,), blind=True)},
    "forum/68_retain_then_inplace": {"main": fine(), "x": fine()},
    "forum/69_backward_twice": {"main": Want("graph_freed", (20, 21))},
    "forum/71_hidden_state_carried_over": {
        "main": Want("graph_freed", (19, 20)),
        "step": Want("inplace_on_saved", (23,)),
    },
    "forum/72_gan_fake_not_detached": {"main": Want("graph_freed", (24, 25, 27))},
    "forum/74_unused_head": {"main": Want("unused", (18,)), "used": fine()},
    "forum/75_allow_unused_hides_the_cut": {
        "main": Want("detached", (15,)),
        "error": Want("detached", also=("unused",)),
    },
    "forum/77_gradient_penalty_without_create_graph": {
        "main": Want("no_create_graph", (18,), symptoms=NO_GRAPH),
        "error": Want("no_create_graph", (18,), symptoms=NO_GRAPH),
    },
    "forum/78_penalty_gives_bias_no_grad": {
        "main": Want("unused", (17,)),
        "hidden bias": outside(*ZERO),
        "weight": fine(),
    },
    "forum/80_calling_forward_skips_hooks": {"main": fine()},
    "forum/81_module_hook_runs_before_param_grad": {"main": Want("no_backward")},
    "forum/83_function_backward_mutates_grad": {"main": outside("functional_grad")},
    "forum/84_training_loop_inside_function": {
        "main": Want("grad_mode_off", (19, 20), symptoms=NO_GRAPH),
        "error": Want("grad_mode_off", (19, 20), symptoms=NO_GRAPH),
    },
    "forum/86_where_nan_from_dead_branch": {"main": Want("nonfinite_derivative", (17,), values=True)},
    "forum/87_mask_after_division": {"main": Want("nonfinite_derivative", (20,), values=True)},
    "forum/89_mse_broadcast": {"main": Want("broadcast_target", (20,), blind=True)},
    "forum/90_pinn_sum_vs_ones": {"main": outside("functional_grad")},
    "forum/92_gradient_clamp_without_underscore": {"main": fine()},
    "forum/93_clip_after_step": {"main": fine()},
    "forum/95_frozen_flags_overwritten_later": {"main": fine()},
    "forum/W02_rewrap_with_requires_grad": {
        "main": Want("left_torch", (19,), also=("detached",)),
        "after": fine(),
    },
    "forum/W03_retain_graph_everywhere": {"main": outside("accumulated", "graph_freed")},
    "forum/W05_allow_unused_true": {
        "main": Want("detached", (17,)),
        "materialize": Want("detached", (17,), symptoms=("materialized_zero",)),
    },
    "forum/W06_add_underscore_breaks_the_graph": {"main": fine()},
    "forum/W08_use_dot_data": {"main": Want("edited_through_data", (19,))},
    "forum/W09_filter_the_checkpoint_warning": {"main": Want("checkpoint_cut", (18,)), "head": fine()},
    "forum/W11_clone_detach_requires_grad": {"main": Want("rewrapped", (23,), also=("detached",))},
    "forum/W12_retain_grad_is_a_noop_on_non_leaf": {
        "main": fine(),
        "leaf": fine(),
        "error": outside("requires_grad_false"),
    },
    "forum/W14_detached_init_disconnects_weights": {"main": fine(), "module": fine()},
    "forum/W15_page_with_wrong_printed_values": {
        "main": Want("detached", (20,), symptoms=NO_GRAPH),
        "y": fine(),
        "error": outside("requires_grad_false", *NO_GRAPH),
        "detached error": Want("detached", (20,), symptoms=NO_GRAPH),
    },
    "github/02_view_rebinds_the_name": {"main": Want("shadowed_leaf", (19,))},
    "github/03_slice_is_a_new_tensor_each_time": {"main": Want("off_the_path", (20,))},
    "github/05_inplace_write_into_leaf": {"main": Want("inplace_on_leaf", (21,))},
    "github/06_grad_read_before_backward": {"main": Want("no_backward", (19,))},
    "github/08_edge_mask_never_consumed": {"main": Want("unused", (26,)), "error": Want("unused")},
    "github/09_learnable_index": {"main": Want("not_differentiable", (22,)), "scale": fine()},
    "github/11_round_gives_zeros_not_none": {"main": Want("zero_derivative", (19,))},
    "github/12_clamp_starts_outside_range": {"main": Want("zero_derivative", (18,), values=True)},
    "github/14_sample_instead_of_rsample": {
        "main": Want("grad_mode_off", (20,), symptoms=NO_GRAPH),
        "error": Want("grad_mode_off", (20,), symptoms=NO_GRAPH),
    },
    "github/15_requires_grad_set_on_the_loss": {
        "main": Want("left_torch", (20,), symptoms=("loss_patched",)),
        "module": Want("left_torch", (20,), symptoms=("loss_patched",)),
    },
    "github/17_data_attribute_in_forward": {"main": Want("detached", (22,)), "x": fine()},
    "github/18_parameter_wrap_cuts_history": {"main": Want("rewrapped", (23,)), "module": fine()},
    "github/20_no_grad_around_a_frozen_model": {
        "main": Want("grad_mode_off", (24, 25), symptoms=NO_GRAPH),
        "error": Want("grad_mode_off", (24, 25), symptoms=NO_GRAPH),
    },
    "github/21_requires_grad_toggled_around_forward": {
        "main": Want("flag_too_late", (25,)),
        "frozen after": Want("frozen", (25,)),
    },
    "github/23_layer_replaced_after_optimizer": {"main": Want("stale_optimizer"), "tensor": Want("stale_optimizer")},
    "github/24_optimizer_before_module_conversion": {"main": Want("stale_optimizer"), "kept": fine()},
    "github/26_new_parameter_unties_weights": {"main": fine(), "head": fine("materialized_zero")},
    "github/27_replaced_layer_thaws": {"main": fine()},
    "github/29_zero_grad_to_zeros_keeps_moving": {
        "main": Want("grad_cleared", (24,), symptoms=("unused",)),
        "busy": fine(),
    },
    "github/30_adam_moves_untouched_embedding_rows": {"main": outside(*ZERO)},
    "github/32_checkpoint_with_frozen_inputs": {"main": Want("checkpoint_cut", (29,)), "head": fine()},
    "github/33_checkpoint_output_in_a_container": {
        "main": Want("checkpoint_cut", (20,), symptoms=NO_GRAPH),
        "error": Want("checkpoint_cut", (20,), symptoms=NO_GRAPH),
    },
    "github/35_checkpoint_updates_batchnorm_twice": {"main": fine()},
    "github/36_inference_tensor_meets_autograd": {"main": Want("inference_tensor", (20, 21, 24))},
    "github/38_autocast_cache_after_no_grad": {"main": fine()},
    "github/39_autocast_cache_serves_old_weights": {"main": outside()},
    "github/41_no_grad_leaks_from_a_generator": {"main": Want("grad_mode_off", (17,), symptoms=NO_GRAPH)},
    "github/42_relu_output_changed_by_iadd": {
        "main": Want("inplace_on_saved", (22,)),
        "sigmoid": Want("inplace_on_saved", (22,)),
        "exp": Want("inplace_on_saved", (22,)),
    },
    "github/44_data_edit_escapes_the_check": {"main": Want("edited_through_data", (28,), blind=True)},
    "github/45_detach_after_the_fact": {
        "main": Want("modified_after_use", (25,)),
        "b": Want("modified_after_use", (25,), also=("detached",)),
        "a": fine(),
    },
    "github/47_param_grad_is_none_in_module_hook": {"main": Want("no_backward")},
    "github/48_forward_called_directly_skips_hooks": {"main": fine()},
    "github/50_hook_registered_before_inplace_op": {"main": fine(), "a": fine()},
    "github/51_module_hook_and_inplace_relu": {"main": Want("inplace_on_view", (17, 20, 24))},
    "github/53_passthrough_turns_none_into_zero": {"main": Want("materialized_zero", (31,)), "used": fine()},
    "github/54_output_stored_on_ctx_leaks": {"main": fine()},
    "github/56_double_backward_through_saved_intermediate": {"main": outside("functional_grad")},
    "github/57_where_lets_nan_through": {"main": Want("nonfinite_derivative", (23,), values=True)},
    "github/59_svd_with_equal_singular_values": {"main": Want("nonfinite_derivative", (18,), values=True)},
    "github/60_loss_broadcasts_target": {"main": Want("broadcast_target", (19,), blind=True)},
    "github/62_hidden_state_reused": {"main": Want("graph_freed", (23, 25))},
    "github/63_prediction_outside_lbfgs_closure": {"main": Want("graph_freed", (19, 23))},
    "github/65_gradient_kept_by_reference": {"main": fine()},
    "github/66_discriminator_loss_reaches_generator": {
        "main": Want("accumulated", (20, 23), blind=True),
        "d": outside("accumulated"),
    },
    "github/68_mean_of_means_over_microbatches": {"main": outside("accumulated")},
    "github/69_clip_before_unscale": {"main": fine()},
    "github/71_one_element_of_a_vector_loss": {"main": Want("materialized_zero", (19,), blind=True)},
    "github/72_second_backward_adds_up": {
        "main": Want("accumulated", (23,), blind=True),
        "error": outside("no_backward"),
    },
    "github/74_func_grad_hides_unused_inputs": {
        "main": Want("materialized_zero", (21,), also=("requires_grad_false",))
    },
    "github/75_compiled_module_hides_inner_edges": {"main": outside("functional_grad", "off_the_path", "not_a_leaf")},
    "github/77_deepcopy_of_a_non_leaf": {"main": outside("not_a_leaf")},
}

# Cases of the bank by what diagnose can know of them: the rest is in scope.
HEALTHY = frozenset(
    {
        "forum/38_autocast_cache_now_fixed",
        "forum/39_eval_mode_myth",
        "forum/90_pinn_sum_vs_ones",
        "forum/W06_add_underscore_breaks_the_graph",
        "forum/W12_retain_grad_is_a_noop_on_non_leaf",
        "forum/W14_detached_init_disconnects_weights",
        "github/38_autocast_cache_after_no_grad",
    }
)
OUTSIDE = frozenset(
    {
        "forum/09_retain_grad_returns_none",
        "forum/53_shared_storage_is_not_tying",
        "forum/57_frozen_rows_still_move",
        "forum/59_padding_idx_zero_row",
        "forum/68_retain_then_inplace",
        "forum/80_calling_forward_skips_hooks",
        "forum/83_function_backward_mutates_grad",
        "forum/92_gradient_clamp_without_underscore",
        "forum/93_clip_after_step",
        "forum/95_frozen_flags_overwritten_later",
        "forum/W03_retain_graph_everywhere",
        "github/26_new_parameter_unties_weights",
        "github/27_replaced_layer_thaws",
        "github/30_adam_moves_untouched_embedding_rows",
        "github/35_checkpoint_updates_batchnorm_twice",
        "github/39_autocast_cache_serves_old_weights",
        "github/48_forward_called_directly_skips_hooks",
        "github/50_hook_registered_before_inplace_op",
        "github/54_output_stored_on_ctx_leaks",
        "github/56_double_backward_through_saved_intermediate",
        "github/65_gradient_kept_by_reference",
        "github/68_mean_of_means_over_microbatches",
        "github/69_clip_before_unscale",
        "github/75_compiled_module_hides_inner_edges",
        "github/77_deepcopy_of_a_non_leaf",
    }
)
