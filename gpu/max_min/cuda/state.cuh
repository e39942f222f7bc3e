// What the MAX-MIN Ant System keeps on the device in addition to the colony's state, and what it
// decides when all tours of an iteration are built.
#pragma once

#include "gpu/cuda/kernels/election.cuh"
#include "kernels.py"

// Whether the best tour of all deposits, `since` iterations after trails began (2000).
INLINE bool is_turn_of_best(int depositor, Word since) {
    if (depositor != SCHEDULE) return depositor == GLOBAL_BEST;
    int period = since >= 250 ? 1 : since >= 125 ? 2 : since >= 75 ? 3 : since >= 25 ? 5 : 25;
    return since % period == 0;
}

INLINE double counted_length(Word length) { return double(max(length, Word(1))); }

// The limits for a shortest tour of this length (2000, equations 7 and 11).
INLINE void set_limits(const MmasRules& rules, double length, float& least, float& most) {
    double upper = rules.nearest / length;
    most = float(upper);
    least = fmaxf(float(upper * rules.spread), LEAST_TRAIL);
}

// Every block of the update works this out for itself, from what no block has changed yet. The last
// block of the last launch writes it down.
struct Decision {
    bool restarting;  // all trails become the most
    bool own;         // the iteration's best tour deposits, not the best of all
    float least, most, amount;

    __device__ Decision(const ColonyState* state, const MmasState* mmas, const MmasRules& rules,
                        int n)
        : restarting(false), own(true), least(mmas->least), most(mmas->most) {
        Word iteration = state->iteration + 1, length = state->running_best >> ANT_BITS;
        bool improved = length < state->best_length;
        if (improved) {
            set_limits(rules, counted_length(length), least, most);
        } else if (rules.patience > 0) {
            Word last = max(mmas->begun, state->best_iteration);
            restarting = iteration - last >= Word(rules.patience) &&
                         100 * mmas->branches <= SETTLED * Word(n);
        }
        own = improved || !is_turn_of_best(rules.depositor, iteration - mmas->begun);
        Word of_depositor = own ? length : state->best_length;
        amount = float(rules.gain / counted_length(of_depositor));
    }

    __device__ void write_down(MmasState* mmas, Word iteration) const {
        mmas->least = least;
        mmas->most = most;
        if (restarting) mmas->begun = iteration;
        mmas->branches = 0;
    }
};
