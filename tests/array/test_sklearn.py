"""scikit-learn's estimators and metrics take NDArrays, and give what they give for NumPy arrays."""

import warnings

import numpy as np
import pytest

import nbgraph as ng

pytest.importorskip("sklearn")

SETUP = """
from sklearn import (
    cluster, covariance, decomposition, discriminant_analysis, ensemble, feature_selection,
    gaussian_process, isotonic, kernel_approximation, kernel_ridge, linear_model, manifold, metrics,
    mixture, model_selection, naive_bayes, neighbors, neural_network, pipeline, preprocessing,
    random_projection, svm, tree,
)
from sklearn.impute import KNNImputer, SimpleImputer
"""
# `x` numbers, `h` of them with holes, `p` positive ones, `y` real answers, `c` classes, `g` guesses
ROWS = """
preprocessing.StandardScaler().fit_transform(x)
preprocessing.MinMaxScaler().fit_transform(x)
preprocessing.MaxAbsScaler().fit_transform(x)
preprocessing.RobustScaler().fit_transform(x)
preprocessing.Normalizer().fit_transform(x)
preprocessing.Binarizer().fit_transform(x)
preprocessing.PolynomialFeatures(2).fit_transform(x)
preprocessing.QuantileTransformer(n_quantiles=9).fit_transform(x)
preprocessing.PowerTransformer().fit_transform(p)
preprocessing.KBinsDiscretizer(3, strategy="uniform").fit_transform(x).toarray()
preprocessing.SplineTransformer().fit_transform(x)
preprocessing.LabelEncoder().fit_transform(c)
preprocessing.LabelBinarizer().fit_transform(c)
preprocessing.OneHotEncoder().fit_transform(c[:, None]).toarray()
preprocessing.OrdinalEncoder().fit_transform(c[:, None])
preprocessing.FunctionTransformer(np.log1p).fit_transform(p)
preprocessing.scale(x)
SimpleImputer().fit_transform(h)
SimpleImputer(strategy="median").fit_transform(h)
KNNImputer().fit_transform(h)
linear_model.LinearRegression().fit(x, y).predict(x)
linear_model.Ridge().fit(x, y).predict(x)
linear_model.RidgeCV().fit(x, y).predict(x)
linear_model.Lasso(alpha=0.1).fit(x, y).predict(x)
linear_model.LassoCV(cv=3).fit(x, y).predict(x)
linear_model.ElasticNet(alpha=0.1).fit(x, y).predict(x)
linear_model.BayesianRidge().fit(x, y).predict(x)
linear_model.HuberRegressor().fit(x, y).predict(x)
linear_model.PoissonRegressor().fit(x, p[:, 0]).predict(x)
linear_model.SGDRegressor(random_state=0).fit(x, y).predict(x)
linear_model.LogisticRegression().fit(x, c).predict_proba(x)
linear_model.RidgeClassifier().fit(x, c).predict(x)
linear_model.Perceptron(random_state=0).fit(x, c).predict(x)
linear_model.RANSACRegressor(random_state=0).fit(x, y).predict(x)
cluster.KMeans(3, random_state=0, n_init=2).fit(x).labels_
cluster.MiniBatchKMeans(3, random_state=0, n_init=2).fit_predict(x)
cluster.DBSCAN(1.0).fit_predict(x)
cluster.AgglomerativeClustering(3).fit_predict(x)
cluster.MeanShift().fit_predict(x)
cluster.SpectralClustering(2, random_state=0).fit_predict(x)
decomposition.PCA(2).fit_transform(x)
decomposition.TruncatedSVD(2, random_state=0).fit_transform(x)
decomposition.FastICA(2, random_state=0, max_iter=999).fit_transform(x)
decomposition.NMF(2, random_state=0, max_iter=999).fit_transform(p)
decomposition.KernelPCA(2).fit_transform(x)
decomposition.FactorAnalysis(2, random_state=0).fit_transform(x)
manifold.MDS(2, random_state=0, n_init=1, init="random").fit_transform(x)
manifold.Isomap(n_neighbors=9).fit_transform(x)
random_projection.GaussianRandomProjection(2, random_state=0).fit_transform(x)
kernel_approximation.Nystroem(n_components=4, random_state=0).fit_transform(x)
kernel_ridge.KernelRidge().fit(x, y).predict(x)
covariance.EmpiricalCovariance().fit(x).covariance_
covariance.LedoitWolf().fit(x).covariance_
discriminant_analysis.LinearDiscriminantAnalysis().fit(x, c).predict(x)
discriminant_analysis.QuadraticDiscriminantAnalysis().fit(x, c).predict(x)
ensemble.RandomForestClassifier(9, random_state=0).fit(x, c).predict_proba(x)
ensemble.RandomForestRegressor(9, random_state=0).fit(x, y).predict(x)
ensemble.GradientBoostingRegressor(n_estimators=9, random_state=0).fit(x, y).predict(x)
ensemble.HistGradientBoostingRegressor(max_iter=3).fit(x, y).predict(x)
ensemble.AdaBoostClassifier(n_estimators=5, random_state=0).fit(x, c).predict(x)
ensemble.IsolationForest(n_estimators=9, random_state=0).fit_predict(x)
tree.DecisionTreeRegressor(random_state=0).fit(x, y).predict(x)
neighbors.KNeighborsClassifier(3).fit(x, c).predict(x)
neighbors.KNeighborsRegressor(3).fit(x, y).predict(x)
neighbors.NearestNeighbors(n_neighbors=3).fit(x).kneighbors(x)
neighbors.KernelDensity().fit(x).score_samples(x)
neighbors.LocalOutlierFactor(3).fit_predict(x)
svm.SVC().fit(x, c).predict(x)
svm.SVR().fit(x, y).predict(x)
svm.LinearSVC(random_state=0).fit(x, c).predict(x)
naive_bayes.GaussianNB().fit(x, c).predict_proba(x)
naive_bayes.MultinomialNB().fit(p, c).predict(p)
gaussian_process.GaussianProcessRegressor().fit(x, y).predict(x)
neural_network.MLPClassifier(random_state=0, max_iter=9).fit(x, c).predict(x)
mixture.GaussianMixture(2, random_state=0).fit(x).means_
isotonic.IsotonicRegression().fit(x[:, 0], y).predict(x[:, 0])
feature_selection.SelectKBest(k=2).fit_transform(x, c)
feature_selection.VarianceThreshold().fit_transform(x)
feature_selection.mutual_info_regression(x, y, random_state=0)
model_selection.train_test_split(x, y, random_state=0)
model_selection.cross_val_score(linear_model.Ridge(), x, y, cv=3)
model_selection.cross_val_predict(linear_model.Ridge(), x, y, cv=3)
model_selection.learning_curve(linear_model.Ridge(), x, y, cv=3)
pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.Ridge()).fit(x, y).predict(x)
metrics.accuracy_score(c, g)
metrics.balanced_accuracy_score(c, g)
metrics.precision_recall_fscore_support(c, g)
metrics.f1_score(c, g, average="macro")
metrics.confusion_matrix(c, g)
metrics.classification_report(c, g, output_dict=True)
metrics.roc_auc_score(c > 0, y)
metrics.roc_curve(c > 0, y)
metrics.average_precision_score(c > 0, y)
metrics.log_loss(c > 0, p[:, 0] / 9)
metrics.matthews_corrcoef(c, g)
metrics.cohen_kappa_score(c, g)
metrics.mean_squared_error(y, x[:, 0])
metrics.mean_absolute_error(y, x[:, 0])
metrics.median_absolute_error(y, x[:, 0])
metrics.r2_score(y, x[:, 0])
metrics.explained_variance_score(y, x[:, 0])
metrics.max_error(y, x[:, 0])
metrics.silhouette_score(x, c)
metrics.adjusted_rand_score(c, g)
metrics.normalized_mutual_info_score(c, g)
metrics.pairwise_distances(x)
metrics.pairwise.cosine_similarity(x)
metrics.pairwise.rbf_kernel(x)
""".strip().splitlines()
EVERY = 4  # of so many rows one is for every day


def operands():
    """What the rows name."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(30, 3))
    holes = np.where(rng.uniform(size=x.shape) < 0.2, np.nan, x)
    c = rng.integers(0, 3, 30)
    x[:, 0] += c
    y = x @ [1.0, -2.0, 0.5] + rng.normal(size=30)
    return {"x": x, "h": holes, "p": abs(x) + 0.1, "y": y, "c": c, "g": rng.integers(0, 3, 30)}


def compare(got, expected):
    """Both are the same, whatever structure they have."""
    if isinstance(expected, dict):
        assert got.keys() == expected.keys()
        got, expected = list(got.values()), list(expected.values())
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            compare(one, other)
        return
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[] if i % EVERY == 0 else pytest.mark.slow, id=row)
        for i, row in enumerate(ROWS)
    ],
)
def test_an_estimator_or_metric_of_scikit_learn(row):
    values = operands()
    names = {"np": np}
    exec(SETUP, names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = eval(row, {**names, **values})
        got = eval(row, {**names, **{name: ng.array(v) for name, v in values.items()}})
    compare(got, expected)
