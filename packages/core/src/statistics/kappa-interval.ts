import { cohensKappa } from "./cohens-kappa.js";

/** The 97.5% quantile of the standard normal distribution, for two-sided 95% intervals. */
const z95 = 1.959963984540054;

/**
 * Standard error of Cohen's kappa for large samples. `table[i][j]`: items that the first rater put into category i and
 * the second one into j. Null where kappa is not defined.
 * Source: J. L. Fleiss, J. Cohen, B. S. Everitt, "Large sample standard errors of kappa and weighted kappa", Psychol.
 * Bull. 72 (1969), in the form of Fleiss, "Statistical Methods for Rates and Proportions".
 */
export function kappaStandardError(table: readonly (readonly number[])[]): number | null {
  const total = table.flat().reduce((sum, count) => sum + count, 0);
  const shares = table.map((row) => row.map((count) => count / total));
  const rows = shares.map((row) => row.reduce((sum, share) => sum + share, 0));
  const columns = table.map((_row, index) => shares.reduce((sum, row) => sum + (row[index] ?? 0), 0));
  const observed = shares.reduce((sum, row, index) => sum + (row[index] ?? 0), 0);
  const expected = rows.reduce((sum, share, index) => sum + share * (columns[index] ?? 0), 0);
  if (total === 0 || expected === 1) return null;
  const kappa = (observed - expected) / (1 - expected);
  let spread = -((kappa - expected * (1 - kappa)) ** 2);
  for (const [i, row] of shares.entries()) {
    for (const [j, share] of row.entries()) {
      const margins = (rows[j] ?? 0) + (columns[i] ?? 0);
      spread += i === j ? share * (1 - margins * (1 - kappa)) ** 2 : share * ((1 - kappa) * margins) ** 2;
    }
  }
  return Math.sqrt(Math.max(0, spread) / total) / (1 - expected);
}

/**
 * A 95% interval of Cohen's kappa for two raters with two categories, with half an item added to each of the four
 * cells: raters who agree on all of a few items are not certain to agree on the next, and without it the interval would
 * have no width. It always holds kappa itself. Null where kappa is not defined.
 */
export function kappaInterval(pairs: readonly (readonly [boolean, boolean])[]): readonly [number, number] | null {
  const kappa = cohensKappa(pairs)?.kappa ?? null;
  if (kappa === null) return null;
  const cell = (first: boolean, second: boolean): number =>
    pairs.filter(([one, other]) => one === first && other === second).length + 0.5;
  const table = [
    [cell(true, true), cell(true, false)],
    [cell(false, true), cell(false, false)],
  ];
  const error = kappaStandardError(table);
  if (error === null) return null;
  const center = kappaOf(table);
  return [Math.max(-1, Math.min(kappa, center - z95 * error)), Math.min(1, Math.max(kappa, center + z95 * error))];
}

function kappaOf([[both = 0, first = 0] = [], [second = 0, neither = 0] = []]: readonly (readonly number[])[]): number {
  const total = both + first + second + neither;
  const observed = (both + neither) / total;
  const expected = ((both + first) * (both + second) + (second + neither) * (first + neither)) / total ** 2;
  return (observed - expected) / (1 - expected);
}
