/**
 * Reference values: multipletests(ps, alpha=0.05, method="holm") of statsmodels 0.15.0 (statsmodels.stats.multitest):
 * the p-values, the adjusted ones, and which are rejected.
 */
export const holmAdjustments: readonly [
  pValues: readonly number[],
  adjusted: readonly number[],
  rejected: readonly number[],
][] = [
  [
    [0.01, 0.04, 0.03, 0.005, 0.2],
    [0.04, 0.09, 0.09, 0.025, 0.2],
    [0, 3],
  ],
  [[0.5], [0.5], []],
  [[0.05, 0.05], [0.1, 0.1], []],
  [
    [0.005, 0.0056, 0.0063, 0.0071, 0.0084, 0.01, 0.0125, 0.0167, 0.026, 0.05],
    [0.05, 0.0504, 0.0504, 0.0504, 0.0504, 0.0504, 0.0504, 0.0504, 0.052, 0.052],
    [0],
  ],
  [
    [0.03125, 0.0625, 0.015625, 0.5, 1, 0.03125, 0.00390625, 0.25, 0.001953125, 1],
    [0.21875, 0.3125, 0.125, 1, 1, 0.21875, 0.03515625, 1, 0.01953125, 1],
    [6, 8],
  ],
  [[0.9, 0.8, 0.0004], [1, 1, 0.0012], [2]],
  [
    [0, 1, 0, 0.02],
    [0, 1, 0, 0.04],
    [0, 2, 3],
  ],
];
