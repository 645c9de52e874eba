"""Transforms of samples between a source and a batch; all that is random depends on seed, epoch and
the number of the sample.

>>> import numpy as np, nbgraph as ng
>>> T = ng.io.transforms
>>> augment = T.Compose([T.RandomCrop(8, padding=1), T.RandomFlipLeftRight(), T.ToTensor()])
>>> images = np.zeros((4, 8, 8, 3), "uint8")
>>> augment((images,), T.Draws(seed=0, epoch=0, index=[0, 1, 2, 3]))[0].shape
(4, 3, 8, 8)

`transforms=[...]` of an iterator takes them, and functions f(columns, draws) -> columns. Sizes are
(height, width). Names are those of MXNet's gluon.data.vision.transforms where it has one.
"""

from nbgraph.foreign import missing
from nbgraph.io.transforms.affine import RandomAffine as RandomAffine
from nbgraph.io.transforms.base import ColumnTransform as ColumnTransform
from nbgraph.io.transforms.base import Stage as Stage
from nbgraph.io.transforms.base import Transform as Transform
from nbgraph.io.transforms.chain import Pixels as Pixels
from nbgraph.io.transforms.colour import Grayscale as Grayscale
from nbgraph.io.transforms.colour import RandomBrightness as RandomBrightness
from nbgraph.io.transforms.colour import RandomColorJitter as RandomColorJitter
from nbgraph.io.transforms.colour import RandomContrast as RandomContrast
from nbgraph.io.transforms.colour import RandomHue as RandomHue
from nbgraph.io.transforms.colour import RandomLighting as RandomLighting
from nbgraph.io.transforms.colour import RandomNoise as RandomNoise
from nbgraph.io.transforms.colour import RandomSaturation as RandomSaturation
from nbgraph.io.transforms.compose import Compose as Compose
from nbgraph.io.transforms.compose import OneOf as OneOf
from nbgraph.io.transforms.compose import RandomApply as RandomApply
from nbgraph.io.transforms.crops import CenterCrop as CenterCrop
from nbgraph.io.transforms.crops import RandomCrop as RandomCrop
from nbgraph.io.transforms.crops import RandomFlipLeftRight as RandomFlipLeftRight
from nbgraph.io.transforms.crops import RandomFlipTopBottom as RandomFlipTopBottom
from nbgraph.io.transforms.draws import Draws as Draws
from nbgraph.io.transforms.mixing import CutMix as CutMix
from nbgraph.io.transforms.mixing import Cutout as Cutout
from nbgraph.io.transforms.mixing import Mixup as Mixup
from nbgraph.io.transforms.named import HybridCompose as HybridCompose
from nbgraph.io.transforms.named import HybridRandomApply as HybridRandomApply
from nbgraph.io.transforms.named import RandomGray as RandomGray
from nbgraph.io.transforms.named import RandomRotation as RandomRotation
from nbgraph.io.transforms.named import Rotate as Rotate
from nbgraph.io.transforms.resizing import RandomResizedCrop as RandomResizedCrop
from nbgraph.io.transforms.resizing import Resize as Resize
from nbgraph.io.transforms.scaling import Normalize as Normalize
from nbgraph.io.transforms.scaling import ToCHW as ToCHW
from nbgraph.io.transforms.scaling import ToFloat as ToFloat
from nbgraph.io.transforms.scaling import ToHWC as ToHWC
from nbgraph.io.transforms.scaling import ToTensor as ToTensor
from nbgraph.io.transforms.sequences import PadSequences as PadSequences
from nbgraph.io.transforms.values import Cast as Cast
from nbgraph.io.transforms.values import LabelSmoothing as LabelSmoothing
from nbgraph.io.transforms.values import Lambda as Lambda
from nbgraph.io.transforms.values import OneHot as OneHot

__getattr__ = missing("ng.io.transforms", globals())
