"""The verdict on 02_requires_grad_false: an image gradient and one step of a new head, in closed form."""

from collections.abc import Callable

import torch
from torch import Tensor

from gradclinic.grading.checking import Exercise, expect, integers, normal, redraw_unless

PIXELS, FEATURES, SIGNS, NEW_SIGNS = 64, 6, 3, 4
EPSILON, LR = 0.05, 0.5


def draw_weights() -> dict[str, Tensor]:
    return {
        "body.weight": normal(FEATURES, PIXELS, scale=0.2),
        "body.bias": normal(FEATURES, scale=0.2),
        "head.weight": normal(SIGNS, FEATURES),
    }


def features_of(weights: dict[str, Tensor], pixels: Tensor) -> Tensor:
    return torch.tanh(pixels @ weights["body.weight"].double().T + weights["body.bias"].double())


def loss_of(scores: Tensor, signs: Tensor) -> Tensor:
    """The mean cross-entropy of scores (n, signs) and signs (n,)."""
    return -scores.log_softmax(1).gather(1, signs[:, None]).mean()


def slope_of(scores: Tensor, signs: Tensor) -> Tensor:
    """d loss / d scores."""
    return (scores.softmax(1) - torch.eye(scores.shape[1], dtype=scores.dtype)[signs]) / len(signs)


def assert_slope(loss_at: Callable[[Tensor], Tensor], at: Tensor, gradient: Tensor) -> None:
    """Central differences in every seventh direction, against the closed form."""
    for i in range(0, at.numel(), 7):
        step = torch.zeros_like(at)
        step.view(-1)[i] = 1e-5
        slope = (loss_at(at + step) - loss_at(at - step)) / 2e-5
        assert abs(slope - gradient.view(-1)[i]) < 1e-6 * gradient.abs().max() + 1e-9


class Attack:
    """A photo, its true gradient, and the gradients that named mistakes would give."""

    def __init__(self) -> None:
        self.weights, self.photo, self.sign = draw_weights(), integers(0, 256, PIXELS), integers(0, SIGNS)
        self.pixels = self.photo.double() / 255
        head = self.weights["head.weight"].double()
        found = features_of(self.weights, self.pixels[None])

        def to_pixels(slope: Tensor) -> Tensor:
            return (slope @ head * (1 - found**2) @ self.weights["body.weight"].double())[0]

        def loss_at(pixels: Tensor) -> Tensor:
            return loss_of(features_of(self.weights, pixels[None]) @ head.T, self.sign[None])

        self.gradient = to_pixels(slope_of(found @ head.T, self.sign[None]))
        assert_slope(loss_at, self.pixels, self.gradient)
        self.of_score = to_pixels(torch.eye(SIGNS, dtype=torch.float64)[self.sign][None])
        redraw_unless(self.gradient.abs().min() > 1e-4 * self.gradient.abs().max())  # the sign of 0 is a toss-up


def test_the_gradient_of_the_image(exercise: Exercise) -> None:
    case = Attack()
    got = exercise.adversarial_image(case.weights, case.photo, case.sign, EPSILON)
    otherwise = {"wrong_tensor": case.gradient / 255, "wrong_scalar": case.of_score, "lost": 0 * case.gradient}
    expect("gradient", got["gradient"], case.gradient, otherwise)


def test_every_pixel_is_nudged(exercise: Exercise) -> None:
    case = Attack()
    got = exercise.adversarial_image(case.weights, case.photo, case.sign, EPSILON)
    otherwise = {"wrong_scalar": case.pixels + EPSILON * case.of_score.sign(), "lost": case.pixels}
    expect("pixels", got["pixels"], case.pixels + EPSILON * case.gradient.sign(), otherwise)


class Teaching:
    """Photos of other signs and a new head; what one step makes of the head, and of a body that was let loose."""

    def __init__(self, photos: int) -> None:
        self.weights = draw_weights()
        self.photos, self.signs = integers(0, 256, photos, PIXELS), integers(0, NEW_SIGNS, photos)
        self.start = normal(NEW_SIGNS, FEATURES)
        head, pixels = self.start.double(), self.photos.double() / 255
        found = features_of(self.weights, pixels)
        slope = slope_of(found @ head.T, self.signs)
        gradient = slope.T @ found
        assert_slope(lambda h: loss_of(found @ h.T, self.signs), head, gradient)
        self.loss, self.head = loss_of(found @ head.T, self.signs), head - LR * gradient
        into_body = slope @ head * (1 - found**2)
        self.body = {"weight": self.weights["body.weight"], "bias": self.weights["body.bias"]}
        self.loose_body = {
            "weight": self.body["weight"] - LR * into_body.T @ pixels,
            "bias": self.body["bias"] - LR * into_body.sum(0),
        }


def test_the_new_head_has_learned(exercise: Exercise) -> None:
    case = Teaching(photos=9)
    got = exercise.fine_tune(case.weights, case.photos, case.signs, case.start, LR)
    expect("loss", got["loss"], case.loss)
    expect("head", got["head"], case.head, {"lost": case.start})


def test_the_body_stays(exercise: Exercise) -> None:
    case = Teaching(photos=6)
    got = exercise.fine_tune(case.weights, case.photos, case.signs, case.start, LR)
    expect("body", got["body"], case.body, {"frozen": case.loose_body})
