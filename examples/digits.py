"""50 labels instead of 1,300: which rows of scikit-learn's digits should be labelled?

Chooses 50 training images by every method, trains a 1-nearest-neighbour classifier on them
alone and prints its accuracy on images that nobody chose from. Random choice is repeated and
averaged. Run it from the top of the repository:

    python examples/digits.py docs/images/digits.png
"""

import sys
import warnings

import arss
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

K = 50
SPLITS = 10
DRAWS = 20
METHODS = {
    "Exemplars": arss.Exemplars(K, random_state=0),
    "ARSS": arss.ARSS(K),
    "RRSS": arss.RRSS(K),
    "TED": arss.TED(K),
    "RRQR": arss.RRQR(K),
    "k-means": arss.KMeansSelector(K, random_state=0),
    "k-medoids": arss.KMedoidsSelector(K, random_state=0),
}


def accuracy(chosen, split):
    """Accuracy of 1-NN trained on the chosen rows of the training half."""
    X, X_test, y, y_test = split
    return KNeighborsClassifier(1).fit(X[chosen], y[chosen]).score(X_test, y_test)


def main(picture=None):
    """Print the table and, if asked, draw the figure."""
    warnings.simplefilter("ignore")  # some methods say that 50 picks are near the rank of the data
    X, y = load_digits(return_X_y=True)
    found = {name: [] for name in ("random", *METHODS)}
    for seed in range(SPLITS):
        split = train_test_split(X, y, test_size=0.25, random_state=seed, stratify=y)
        draws = [arss.RandomSelector(K, random_state=draw).fit(split[0]).sample_indices_ for draw in range(DRAWS)]
        found["random"].append(np.mean([accuracy(draw, split) for draw in draws]))
        for name, selector in METHODS.items():
            found[name].append(accuracy(selector.fit(split[0]).sample_indices_, split))
    print(f"1-NN accuracy from {K} labels, digits, mean and standard deviation over {SPLITS} splits")
    for name, values in found.items():
        print(f"{name:10} {np.mean(values):.3f} +- {np.std(values):.3f}")
    if picture:
        draw_figure(found, X, picture)


def draw_figure(found, X, picture):
    """Accuracies on the left; the first picks of two methods on the right."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=[1.1, 1])
    order = sorted(found, key=lambda name: np.mean(found[name]))
    left.barh(
        order,
        [np.mean(found[name]) for name in order],
        xerr=[np.std(found[name]) for name in order],
        color=["tab:gray" if name == "random" else "tab:blue" for name in order],
    )
    left.set(
        xlabel="1-NN accuracy",
        title=f"{K} labels of digits, {SPLITS} splits",
        xlim=(0, 1),
    )
    rows = []
    for name in ("Exemplars", "TED", "ARSS"):
        picks = METHODS[name].fit(X).select(X)[:10].reshape(-1, 8, 8)
        rows.append(np.hstack([np.pad(16 - image, 1, constant_values=16) for image in picks]))
    right.imshow(np.vstack(rows), cmap="gray")
    right.set_yticks([5, 15, 25], ("Exemplars", "TED", "ARSS"))
    right.set_xticks([])
    right.set_title("the first ten picks")
    figure.tight_layout()
    figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:])
