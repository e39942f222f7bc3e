// I-Roulette (2013, Section 3.2.3): every city draws a number of its own, and the largest product
// of number and weight wins. A reduction finds it in parallel, but it favours heavy weights more
// than the random proportional rule does.
#pragma once

#include "gpu/construction/cuda/own_words.cuh"

struct IndependentDraws {
    OwnWords words;

    INLINE IndependentDraws(const Draws& draws, int step) : words(draws, step, INDEPENDENT) {}

    // The number of a city. Never 0, so that light cities have a chance.
    INLINE float of(int city) const { return odd_share(words.of(city)); }
};
