"""The catalogue of causes: every way in which a gradient goes missing, told once.

The diagnosis, the feedback of the checks, the symptom index and the class report all take their words from here.
Each sentence about PyTorch is asserted by a small program in `tests/`, and each fragment of a message is raised there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["none", "zero", "error", "wrong", "unmoved", "work"]


@dataclass(frozen=True)
class Cause:
    """One misconception, or one ordinary trouble with the work.

    outcome: what the learner sees. `.grad` is None (`none`) or zeros (`zero`), an error, wrong numbers, a parameter
    that never moves although its gradient is right (`unmoved`); `work` is no matter of gradients.
    lesson: the id of the lesson that teaches it, None where the course has none.
    """

    id: str
    title: str
    outcome: Outcome
    explanation: str
    fix: str
    lesson: str | None = None


@dataclass(frozen=True)
class Fragment:
    """A short lower-case piece of a message of PyTorch that gives a cause away and outlives small rewordings."""

    cause: str
    text: str


def from_message(text: str) -> str | None:
    """The id of the cause that an error or warning of PyTorch stands for; None when the message is not known."""
    said = text.lower()
    return next((fragment.cause for fragment in FRAGMENTS if fragment.text in said), None)


# A gradient taken without create_graph has no message of its own: it ends in the one of loss_has_no_graph.
FRAGMENTS = (
    Fragment("unused", "appears to not have been used in the graph"),
    Fragment("graph_freed", "backward through the graph a second time"),
    Fragment("loss_has_no_graph", "does not require grad and does not have a grad_fn"),
    Fragment("requires_grad_false", "one of the differentiated tensors does not require grad"),
    Fragment("requires_grad_false", "can't retain_grad on tensor that has requires_grad=false"),
    Fragment("non_scalar_loss", "grad can be implicitly created only for scalar outputs"),
    Fragment("non_scalar_loss", "to return a scalar tensor"),
    Fragment("inplace_on_leaf", "leaf variable that requires grad is being used in an in-place operation"),
    Fragment("inplace_on_saved", "has been modified by an inplace operation"),
    Fragment("modified_after_use", "saved tensor that has been detached in-place"),
    Fragment("inplace_on_view", "is a view and is being modified inplace"),
    Fragment("inplace_on_view", "view was created in no_grad mode and is being modified inplace"),
    Fragment("integer_dtype", "only tensors of floating point"),
    Fragment("integer_dtype", "input dtype must be either a floating point or complex dtype"),
    Fragment("inference_tensor", "inference tensors cannot be saved for backward"),
    Fragment("inference_tensor", "inplace update to inference tensor outside inferencemode"),
    Fragment("inference_tensor", "setting requires_grad=true on inference tensor outside inferencemode"),
    Fragment("not_a_leaf", "grad attribute of a tensor that is not a leaf tensor is being accessed"),
    Fragment("shadowed_leaf", "can't optimize a non-leaf tensor"),
    Fragment("left_torch", "can't call numpy() on tensor that requires grad"),
    Fragment("checkpoint_cut", "none of the inputs have requires_grad=true"),
    Fragment("broadcast_target", "will likely lead to incorrect results due to broadcasting"),
    Fragment("nonfinite_derivative", "returned nan values in its"),
    Fragment("out_of_memory", "defaultcpuallocator"),
)

_SILENT_NONE = (
    Cause(
        "no_backward",
        "No backward pass has put a gradient there yet",
        "none",
        "The forward pass only records the operations; `.grad` stays None until `backward()` has run. Inside a "
        "backward hook of a module the pass is still running, and `.grad` may not be there yet.",
        "Call `loss.backward()` once, on the loss, and read `.grad` after it.",
        "backward_first",
    ),
    Cause(
        "not_a_leaf",
        "You asked an intermediate result, which does not keep its gradient",
        "none",
        "`backward()` fills `.grad` of leaves: tensors that you made yourself and that require grad. The result "
        "of an operation passes its gradient on and does not keep it. Reading its `.grad` gives None and a "
        "warning.",
        "Call `y.retain_grad()` before `backward()`, or ask for the gradient directly: "
        "`torch.autograd.grad(loss, y)`. Of a part of a leaf, ask the leaf: `w.grad[0]`, not `w[0].grad`.",
        "leaf_or_not",
    ),
    Cause(
        "shadowed_leaf",
        "The name now holds the result of an operation; the leaf is behind it",
        "none",
        "`w = torch.randn(3, requires_grad=True) * 0.1` gives the name to the result of the multiplication. The "
        "leaf that receives the gradient has no name any more. `w = w.view(-1)` and `w = w.to(torch.float64)` do "
        "the same.",
        "Do the arithmetic first and switch gradients on last: `w = (torch.randn(3) * 0.1).requires_grad_()`. "
        "Update in place, under `torch.no_grad()`: `w -= lr * w.grad`.",
        "leaf_or_not",
    ),
    Cause(
        "retained_late",
        "retain_grad() came after backward()",
        "none",
        "`retain_grad()` tells the next backward pass to keep the gradient of this tensor. The pass was already "
        "over, so `.grad` stays None, and no error or warning says so.",
        "Call `y.retain_grad()` before `loss.backward()`; any place between making `y` and the backward pass will do.",
        "late_retain_grad",
    ),
    Cause(
        "off_the_path",
        "The loss was computed from something else than this copy",
        "none",
        "`torch.stack`, `clone()` and an index such as `x[0]` make a new tensor each time. The loss was computed "
        "from the original, so no gradient comes through this copy: `.grad` stays None even after "
        "`retain_grad()`.",
        "Compute the loss from this very tensor, or ask the tensors that the loss did use.",
        "off_the_path",
    ),
    Cause(
        "unused",
        "The loss does not depend on it, and nothing cut it",
        "none",
        "The tensor requires grad, but no operation on the way to the loss used it. `backward()` leaves its "
        "`.grad` at None; `torch.autograd.grad` raises an error instead.",
        "Use it in the loss. If it is meant to be unused, 0 is its true derivative: pass `allow_unused=True`, "
        "expect None, and put the 0 there yourself.",
        "off_the_path",
    ),
    Cause(
        "detached",
        "detach(), detach_() or .data cut it",
        "none",
        "`detach()` and `.data` give the same values without their history; `detach_()` takes the history from "
        "the tensor itself. The loss has the right value, but `backward()` stops there: what lies before it "
        "keeps `.grad` None.",
        "Take the `detach()` or `.data` off the way to the loss, and use it only for values that you log or store. "
        "Where a new leaf is wanted, add `.requires_grad_()`.",
    ),
    Cause(
        "left_torch",
        "The value left PyTorch as a Python number, a list or a NumPy array",
        "none",
        "`item()`, `tolist()`, `float()` and NumPy give plain numbers, and autograd records operations on "
        "tensors only. A tensor made from those numbers starts anew, without history.",
        "Stay with tensors: `torch.sin(x)` instead of `math.sin(x)`, `torch.stack(values)` instead of a list of "
        "numbers.",
    ),
    Cause(
        "rewrapped",
        "A new tensor was built from the value",
        "none",
        "`nn.Parameter(y)`, `torch.tensor(y)` and `copy.deepcopy(x)` take the value and not the history. The new "
        "tensor is another leaf: the gradient ends there, and the tensor that it was built from gets none.",
        "Use `y` itself. To put several tensors together, write `torch.stack([a, b])`, not `torch.tensor([a, b])`.",
    ),
    Cause(
        "grad_mode_off",
        "The operation ran while gradients were switched off",
        "none",
        "Under `torch.no_grad()`, `torch.inference_mode()` or `torch.set_grad_enabled(False)` nothing is "
        "recorded: the result has requires_grad False even when an input has it True. The same holds in the "
        "forward of a custom Function and for `sample()` of a distribution.",
        "Move the operation out of the block. An update stays in it, and in place: `w -= lr * w.grad`. Draw samples "
        "with `rsample()`.",
    ),
    Cause(
        "not_differentiable",
        "The operation has no derivative with respect to it",
        "none",
        "The results of `argmax`, of a comparison such as `x > 0` and of a cast to integers do not require grad. "
        "Nothing before such an operation can receive a gradient through it.",
        "Use a smooth stand-in: `softmax` for `argmax`, `sigmoid` for a comparison.",
    ),
    Cause(
        "requires_grad_false",
        "Nobody asked for its gradient",
        "none",
        "A tensor has requires_grad False unless you ask for True; an `nn.Parameter` has it True from the start. "
        "Where another tensor of the loss requires grad, `backward()` runs without an error and leaves this "
        "`.grad` at None.",
        "Create it with `requires_grad=True`, or call `x.requires_grad_()` before its first use.",
        "requires_grad_false",
    ),
    Cause(
        "frozen",
        "The parameter is frozen, or was unfrozen by mistake",
        "none",
        "A parameter with requires_grad False is frozen: `backward()` passes it by and its `.grad` stays None. "
        "Unfreezing too much is the opposite mistake: the optimizer then moves parameters that should stay.",
        "Set the flag on exactly the parameters that are to learn: `for p in model.head.parameters(): "
        "p.requires_grad_(True)`.",
        "requires_grad_false",
    ),
    Cause(
        "flag_on_module",
        "`layer.requires_grad = ...` sets a plain attribute, not the parameters",
        "none",
        "A module has no requires_grad of its own, so the assignment makes a new attribute that nothing reads. "
        "The parameters of the layer keep the flags that they had.",
        "Call the method, which sets the flag of every parameter: `layer.requires_grad_(True)`.",
    ),
    Cause(
        "flag_too_late",
        "requires_grad was switched on after the operation that used it",
        "none",
        "An operation is recorded when it runs, with the inputs that require grad at that moment. This one ran "
        "while requires_grad was still False. Switching it on afterwards adds nothing to the history.",
        "Call `x.requires_grad_()` before the first operation that uses `x`.",
        "requires_grad_false",
    ),
    Cause(
        "grad_cleared",
        "The gradient was there and was cleared",
        "none",
        "The gradient was cleared between `backward()` and the line that read it. `zero_grad()` sets `.grad` to "
        "None; `zero_grad(set_to_none=False)` and `.grad.zero_()` fill it with zeros.",
        "Read the gradient first, or clear before `backward()`. `.grad.zero_()` also empties a gradient that you kept: "
        "keep `w.grad.clone()`.",
    ),
    Cause(
        "functional_grad",
        "autograd.grad returned it and left .grad alone",
        "none",
        "`torch.autograd.grad(loss, x)` returns the gradients as a tuple and touches no `.grad`. In the same way "
        "`loss.backward(inputs=[a])` fills `.grad` of `a` only.",
        "Use what it returns, `(g,) = torch.autograd.grad(loss, x)`, or call `loss.backward()` to fill `.grad`.",
        "autograd_grad",
    ),
    Cause(
        "backward_returned_none",
        "A custom Function returned None for it",
        "none",
        "The `backward` of a custom `autograd.Function` returns one gradient for each input of its `forward`. "
        "Where it returns None nothing flows on to that input, and no error is raised.",
        "Return the gradient of this input; None is only for inputs that need no gradient.",
    ),
    Cause(
        "modified_after_use",
        "It was changed in place after the loss had used it",
        "none",
        "After an in-place operation the name stands for the new value, which the loss does not use. The "
        "retained gradient of the old value is lost: `.grad` is None, while the leaves before it get theirs. If "
        "`backward()` needs the old value itself, a change in place is an error, `detach_()` too.",
        "Make a new tensor instead: `percent = level * 100`, not `level.mul_(100)`.",
        "in_place_add",
    ),
    Cause(
        "loss_patched",
        "requires_grad was set on a loss that has no history",
        "none",
        "`loss.requires_grad_()` makes a leaf of a loss that has no history. `backward()` then runs without an "
        "error and fills `loss.grad` only; no parameter gets a gradient.",
        "Take that line away and find where the history was cut: after each step, print `requires_grad` of the result.",
        "requires_grad_false",
    ),
    Cause(
        "checkpoint_cut",
        "A reentrant checkpoint cut the block out of the graph",
        "none",
        "With `use_reentrant=True`, `checkpoint` connects the tensors that go in with the tensors that come out. "
        "When no input requires grad, or when the block returns a dict, its result has no history and the "
        "parameters inside get no gradient.",
        "Call it with `use_reentrant=False`.",
    ),
)

_ERRORS = (
    Cause(
        "inplace_on_leaf",
        "A leaf that requires grad was written in place",
        "error",
        "While operations are recorded, PyTorch refuses to write in place to a leaf that requires grad, and to a "
        "view of it.",
        "For an update, write `with torch.no_grad(): w -= lr * w.grad`. In a computation, make a new tensor: `y "
        "= w + 1`.",
        "in_place_add",
    ),
    Cause(
        "inplace_on_saved",
        "A value saved for backward was written in place",
        "error",
        "Some operations save a value for the backward pass: `exp` its result, `x * y` its two factors. "
        "`backward()` found that such a value had changed since, and raised an error. A step of the optimizer "
        "between two backward passes is such a change, too.",
        "Make a new tensor in place of the in-place operation, `y = y + 1` for `y += 1`, or do the change after "
        "`backward()`.",
        "in_place_add",
    ),
    Cause(
        "inplace_on_view",
        "A view that autograd guards was written in place",
        "error",
        "`unbind`, `split` and a loop over a tensor return several views from one call, and PyTorch refuses to "
        "write to one of them in place. The output of a module with a full backward hook is guarded in the same "
        "way, and so is a view made under `no_grad`.",
        "Write to the whole tensor, `x[0] *= 2`, or make a new one, `row = row * 2`. Behind a hooked module, use "
        "`ReLU(inplace=False)`.",
    ),
    Cause(
        "graph_freed",
        "backward() went through the same graph twice",
        "error",
        "The first `backward()` frees the values that the graph has saved. A second one that passes through the "
        "same part of the graph finds them gone.",
        "Compute the loss anew in each step, with all that comes before it, and `detach()` a state that is carried "
        "over. `retain_graph=True` is for two backward passes that you want on one graph.",
        "retain_graph",
    ),
    Cause(
        "non_scalar_loss",
        "backward() was called on more than one number",
        "error",
        "Without an argument `backward()` starts from the derivative 1 of a single number. For a tensor with "
        "several elements it cannot know where to start, and raises an error.",
        "Make one number of it, `losses.mean().backward()`, or say where to start: "
        "`losses.backward(gradient=weights)`.",
        "backward_first",
    ),
    Cause(
        "inference_tensor",
        "A tensor made in inference_mode met autograd",
        "error",
        "A tensor made inside `torch.inference_mode()` stays marked outside of it, and `detach()` keeps the "
        "mark. Autograd refuses to save it for backward, to change it in place, or to switch its requires_grad "
        "on.",
        "Use `torch.no_grad()` there instead, or take a `clone()` of the tensor outside the block.",
    ),
    Cause(
        "integer_dtype",
        "Integers cannot carry gradients",
        "error",
        "Only tensors of a floating point or complex type can require grad. `torch.tensor([1, 2])` holds "
        "integers, so asking it for gradients raises an error.",
        "Write `torch.tensor([1.0, 2.0])`, or convert before you ask: `x.float().requires_grad_()`.",
        "requires_grad_false",
    ),
    Cause(
        "no_create_graph",
        "The loss uses a gradient that was taken without create_graph=True",
        "error",
        "A gradient returned by `torch.autograd.grad(loss, x)` has no history of its own. A loss made from it "
        "alone has no graph, and `backward()` raises an error; as one term of a larger loss it adds nothing to "
        "the gradients, in silence.",
        "Keep the history of the gradient: `torch.autograd.grad(loss, x, create_graph=True)`.",
    ),
    Cause(
        "loss_has_no_graph",
        "Nothing in the loss requires grad",
        "error",
        "Either no tensor that the loss was computed from requires grad, or the way to each of them was cut. "
        "`backward()` has nowhere to go and raises an error.",
        "Print `requires_grad` after each step from the input to the loss; the cut is where it turns False.",
        "requires_grad_false",
    ),
)

_ZERO_UNMOVED_WRONG = (
    Cause(
        "zero_derivative",
        "The derivative of this operation is zero here",
        "zero",
        "`round`, `sign` and `floor` are flat between their steps, `clamp` and `relu` outside of their range. "
        "There the derivative is 0, so the tensor is on the path and receives zeros.",
        "Use a smooth function such as `softplus` or `sigmoid`, or let the gradient pass by: `x + (x.round() - "
        "x).detach()`.",
    ),
    Cause(
        "materialized_zero",
        'Zeros that stand for "not used"',
        "zero",
        "`materialize_grads=True` and `torch.func.grad` give zeros, not None, for a tensor that the loss did not "
        "use. Elements that the loss did not select, such as all but `x[0]`, get zeros as well.",
        "Pass `allow_unused=True` to see None where nothing arrived, then compute the loss from the tensor you "
        "ask about.",
        "autograd_grad",
    ),
    Cause(
        "unregistered_parameter",
        "It is not in parameters()",
        "unmoved",
        "`model.parameters()` finds parameters and modules that are attributes of the model. Layers in a plain "
        "list or dict and plain tensors are not among them: they get their gradients, but the optimizer never "
        "moves them.",
        "Use `nn.ModuleList` or `nn.ModuleDict` for layers and `nn.Parameter` for tensors.",
    ),
    Cause(
        "stale_optimizer",
        "The optimizer holds other tensors than the model",
        "unmoved",
        "An optimizer keeps the tensors that it was made with. When a layer of the model is replaced afterwards, "
        "the new parameters get their gradients, and `step()` does not move them.",
        "Make the optimizer after the last change of the model, or call `add_param_group` with the new parameters.",
    ),
    Cause(
        "accumulated",
        "The gradient is the sum of several backward passes",
        "wrong",
        "`backward()` adds to `.grad` and does not replace it. Without clearing in between, the second pass "
        "leaves the sum of both gradients there.",
        "To look at a gradient without adding to `.grad`, use `torch.autograd.grad`. Between training steps call "
        "`optimizer.zero_grad()`, or set `w.grad = None`, before `backward()`.",
    ),
    Cause(
        "edited_through_data",
        "A value was changed behind autograd's back (.data)",
        "wrong",
        "A write through `.data` is not recorded, and the check for changed values does not notice it. "
        "`backward()` then uses the new value for an operation that ran with the old one, and gives wrong "
        "numbers without an error.",
        "Make a new tensor, `y = y * 2`. To update a weight, write to it inside `with torch.no_grad():`.",
        "in_place_add",
    ),
    Cause(
        "broadcast_target",
        "The loss broadcast the target",
        "wrong",
        "A prediction of shape (N, 1) minus a target of shape (N,) has shape (N, N): each prediction meets each "
        "target. The loss is one number and the gradient is finite, but both are wrong. `mse_loss` warns; a "
        "subtraction says nothing.",
        "Give both the same shape: `prediction.squeeze(1)` or `target.unsqueeze(1)`.",
    ),
    Cause(
        "nonfinite_derivative",
        "A derivative is nan or inf although the forward value is finite",
        "wrong",
        "At 0 `sqrt` has the value 0 and the derivative inf. A `torch.where` after it does not help: the branch "
        "that was not chosen gets the gradient 0, and 0 times inf is nan.",
        "Make the input safe before the operation: `torch.where(x > 0, x, 1.0).sqrt()`.",
    ),
    Cause(
        "wrong_scale",
        "Right, except for a constant factor",
        "wrong",
        "The gradient is the expected one times one number. For example, `losses.backward(torch.ones(n))` gives "
        "the gradient of the sum, which is n times the gradient of the mean.",
        "Look for sum against mean, a forgotten factor, or the tensor handed to `backward()`.",
    ),
    Cause(
        "wrong_scalar",
        "The gradient of another number than the one asked for",
        "wrong",
        "`backward()` started from another number than the task names. For example, `losses[0].backward()` gives "
        "the gradient of the first loss alone, not of their mean.",
        "Call `backward()` on the loss of the task, made from all of its terms.",
    ),
    Cause(
        "wrong_tensor",
        "This belongs to another tensor than the one asked for",
        "wrong",
        "The value is that of another tensor of the same computation.",
        "Read the task again: which tensor does it name? Return the value or the gradient of that one.",
    ),
    Cause(
        "wrong_shape",
        "The shape is not the one asked for",
        "wrong",
        "The answer has another shape than the task names. A common case: `torch.autograd.grad` returns a tuple, "
        "even for a single tensor.",
        "Compare the two shapes. If a tuple came from `torch.autograd.grad`, take the gradient out of it with `[0]`.",
    ),
    Cause(
        "hook_order",
        "The values are in the order of the backward pass",
        "wrong",
        "Hooks run while the backward pass runs, and that goes from the loss to the input. A list that a hook "
        "appends to therefore holds the last step first.",
        "Store each gradient at its own index, or reverse the list at the end.",
    ),
    Cause(
        "history_kept",
        "The gradient runs on into earlier windows",
        "wrong",
        "The state that is carried on still has its history, so `backward()` goes through all earlier windows as "
        "well. `retain_graph=True` takes the error away and leaves that history in place; it grows with every "
        "window.",
        "Cut between the windows, `state = state.detach()`, and call `backward()` without `retain_graph`.",
        "retain_graph",
    ),
    Cause(
        "truncated_too_much",
        "The history was cut more often than asked",
        "wrong",
        "A `detach()` in every step leaves each window only the gradient of its last step. The forward values "
        "stay the same, so only the gradient shows it.",
        "Detach the state once per window, before its first step.",
    ),
    Cause(
        "state_thrown_away",
        "The state starts anew instead of being carried on",
        "wrong",
        "A new state at the start of each window silences the error, but the value is lost too, so the losses change.",
        "Carry the value on without its history: `state = state.detach()`.",
    ),
    Cause(
        "not_computed",
        "The same answer for two different inputs",
        "wrong",
        "The function was called twice with different inputs and gave the same answer. The answer has to be "
        "computed from the inputs.",
        "Replace the written numbers by a computation with the arguments.",
    ),
    Cause(
        "wrong_value",
        "The value is wrong, and it fits no known mistake",
        "wrong",
        "The value differs from the expected one, and from what each known mistake would give.",
        "Compare got and expected, then follow the value back to the line that makes it.",
    ),
)

_WORK = (
    Cause(
        "not_started",
        "The exercise is still as it was handed out",
        "work",
        "Nothing in the file has been changed yet.",
        "Open the file, read the story at its top, and start at the TODO.",
    ),
    Cause(
        "missing_function",
        "A function of the exercise is missing",
        "work",
        "The check asks for a function by its name, and the file does not have it.",
        "Give the function its name back, at the top level of the file. `gradclinic reset ID` restores the file "
        "and keeps a backup.",
    ),
    Cause(
        "wrong_signature",
        "The function takes other arguments",
        "work",
        "The check calls the function with the arguments of the exercise, and the function does not accept them.",
        "Give the function the parameters that it had in the exercise, in the same order.",
    ),
    Cause(
        "wrong_type",
        "The answer has another type than asked for",
        "work",
        "The function returned another kind of value than the task names, or a key of the result is missing.",
        "Look at what the `return` line gives back, and compare it with the task.",
    ),
    Cause(
        "syntax_error",
        "Python cannot read the file",
        "work",
        "The file is not valid Python, so nothing in it could run.",
        "Look at the marked place, and at the line before it: often a bracket, a quote or a colon is missing.",
    ),
    Cause(
        "not_utf8",
        "The file is not UTF-8 text",
        "work",
        "Python reads a program as UTF-8, and this file holds bytes that are none: it was saved in another encoding, "
        "or it is no text at all.",
        "Save it again and choose the encoding UTF-8: most editors show the encoding in the status line, or in the "
        'window of "Save as".',
    ),
    Cause(
        "exception",
        "Your code raised an error",
        "work",
        "The code stopped with an error before it could return an answer.",
        "Read the last line of the error and the line of your file that it names.",
    ),
    Cause(
        "timeout",
        "Your code did not finish in time",
        "work",
        "The code was still running at the end of its time and was stopped.",
        "Look at the loop near the marked line: does its condition ever become false?",
    ),
    Cause(
        "crashed",
        "The Python process crashed",
        "work",
        "The process that ran your code died without a Python error, so there is no traceback.",
        "Run the file on its own, and take away lines until it no longer crashes.",
    ),
    Cause(
        "exited",
        "Your code ended the Python process",
        "work",
        "The code left with `sys.exit()`, `os._exit()` or the like before it returned an answer.",
        "Take the exit away and let the function return.",
    ),
    Cause(
        "out_of_memory",
        "Your code asked for more memory than it may have",
        "work",
        "An allocation was refused, so the code could not go on.",
        "Look for a tensor that is far larger than its inputs, or for a list that keeps growing.",
    ),
)

CAUSES: dict[str, Cause] = {cause.id: cause for cause in (*_SILENT_NONE, *_ERRORS, *_ZERO_UNMOVED_WRONG, *_WORK)}
