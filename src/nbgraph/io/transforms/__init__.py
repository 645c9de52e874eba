"""Transforms of samples between a source and a batch. Random numbers depend only on the seed, the
epoch and the number of the sample.

>>> import numpy as np, nbgraph as ng
>>> T = ng.io.transforms
>>> augment = T.Compose([T.RandomCrop(8, padding=1), T.RandomFlipLeftRight(), T.ToTensor()])
>>> images = np.zeros((4, 8, 8, 3), "uint8")
>>> augment((images,), T.Draws(seed=0, epoch=0, index=[0, 1, 2, 3]))[0].shape
(4, 3, 8, 8)

`transforms=[...]` of an iterator takes them, and functions f(columns, draws) -> columns. Sizes are
(height, width). Names are those of MXNet's gluon.data.vision.transforms where it has one.
"""

from nbgraph._listing import bring
from nbgraph.foreign import published

_PLACES = """
affine RandomAffine
base ColumnTransform Stage Transform
chain Pixels
colour Grayscale RandomBrightness RandomColorJitter RandomContrast RandomHue RandomLighting
colour RandomNoise RandomSaturation
compose Compose OneOf RandomApply
crops CenterCrop RandomCrop RandomFlipLeftRight RandomFlipTopBottom
draws Draws
mixing CutMix Cutout Mixup
named HybridCompose HybridRandomApply RandomGray RandomRotation Rotate
resizing RandomResizedCrop Resize
scaling Normalize ToCHW ToFloat ToHWC ToTensor
sequences PadSequences
values Cast LabelSmoothing Lambda OneHot
"""
bring(globals(), _PLACES)

__dir__, __getattr__ = published("ng.io.transforms", globals())
