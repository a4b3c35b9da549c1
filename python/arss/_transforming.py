"""A selector as a transformer: rows become their similarities to the picks."""

import sys
from typing import Any, TypeVar

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if

Kind = TypeVar("Kind", bound=type)
#: Where imbalanced-learn asks its steps what they can do, and how many calls away that may be.
SAMPLING = "imblearn.pipeline"
NEAR = 8


def _asked_by_imbalanced_learn() -> bool:
    """Whether a pipeline of imbalanced-learn is what asks."""
    frame = sys._getframe(1)
    for _ in range(NEAR):
        if frame.f_globals.get("__name__") == SAMPLING:
            return True
        if frame.f_back is None:
            return False
        frame = frame.f_back
    return False


def _can_transform(selector: Any) -> bool:
    """Whether it is a transformer here.

    imbalanced-learn takes no step that both transforms and resamples: there it resamples. After `fit_resample` it does
    not transform, either: a pipeline must leave new rows as they are.
    """
    if hasattr(selector, "sample_indices_"):
        return not selector._resampled
    return not _asked_by_imbalanced_learn()


class Transforming(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """What `ColumnTransformer`, `Pipeline` and `FeatureUnion` want of a step besides `fit` and `transform`."""

    @property
    def _n_features_out(self) -> int:
        return len(self.sample_indices_)


def transforms_unless_resampling(kind: Kind) -> Kind:
    """Hide what a step of imbalanced-learn must not have, where it is one.

    This is done to the finished class, because scikit-learn wraps its methods for `set_output`.
    """
    for name in ("transform", "fit_transform"):
        setattr(kind, name, available_if(_can_transform)(getattr(kind, name)))
    return kind
