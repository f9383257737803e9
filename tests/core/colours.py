"""Colours as people see them: contrast (WCAG 2.2), colour blindness (Machado and others, 2009), distance (CIEDE2000)."""

from __future__ import annotations

import math

import numpy as np

# G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A physiologically-based model for simulation of color vision deficiency",
# IEEE TVCG 15(6), 2009: the matrices of full severity, on linear RGB.
COLOUR_VISION = {
    "usual": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
_TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
_WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(colour: str) -> np.ndarray:
    """'#rrggbb' as linear sRGB, 0..1, shape (3,)."""
    value = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2 contrast ratio, 1 to 21."""
    dark, light = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB (D65) of linear sRGB."""
    ratio = _TO_XYZ @ np.clip(rgb, 0, 1) / _WHITE
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """CIEDE2000 of two CIELAB colours (G. Sharma, W. Wu, E. N. Dalal, Color Research and Application 30(1), 2005)."""
    lightness = (one[0] + other[0]) / 2
    mean = (math.hypot(*one[1:]) + math.hypot(*other[1:])) / 2
    stretch = 1.5 - 0.5 * math.sqrt(mean**7 / (mean**7 + 25**7))
    c1, c2 = (math.hypot(colour[1] * stretch, colour[2]) for colour in (one, other))
    h1, h2 = (math.degrees(math.atan2(colour[2], colour[1] * stretch)) % 360 for colour in (one, other))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    hue = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    chroma = (c1 + c2) / 2
    t = (
        1
        - 0.17 * math.cos(math.radians(hue - 30))
        + 0.24 * math.cos(math.radians(2 * hue))
        + 0.32 * math.cos(math.radians(3 * hue + 6))
        - 0.20 * math.cos(math.radians(4 * hue - 63))
    )
    by_lightness = (other[0] - one[0]) / (1 + 0.015 * (lightness - 50) ** 2 / math.sqrt(20 + (lightness - 50) ** 2))
    by_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    by_hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    twist = math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2)))
    twisted = -math.sin(twist) * 2 * math.sqrt(chroma**7 / (chroma**7 + 25**7))
    return math.sqrt(by_lightness**2 + by_chroma**2 + by_hue**2 + twisted * by_chroma * by_hue)


def seen(colour: str, vision: str) -> np.ndarray:
    """CIELAB of '#rrggbb' under that colour vision."""
    return lab(COLOUR_VISION[vision] @ linear(colour))
