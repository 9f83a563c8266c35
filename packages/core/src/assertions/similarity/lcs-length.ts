const wordBits = 32;

/**
 * The length of the longest common subsequence of two sequences of ids, each below `distinct`.
 *
 * Bit-parallel: 32 cells of the table at a time, column of words by column of words, so that memory grows with the
 * sequences and not with their product. Source: H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004.
 */
export function lcsLength(first: Uint32Array, second: Uint32Array, distinct: number): number {
  const masks = new Int32Array(distinct);
  // What the addition within one column carries over to the next one, row by row.
  const carries = new Uint8Array(second.length);
  let length = 0;
  for (let from = 0; from < first.length; from += wordBits) {
    const count = Math.min(wordBits, first.length - from);
    const column = first.subarray(from, from + count);
    column.forEach((id, bit) => {
      masks[id] = (masks[id] ?? 0) | (1 << bit);
    });
    length += zerosOf(columnOf(second, masks, carries), count);
    for (const id of column) masks[id] = 0;
  }
  return length;
}

/** The last state of a column: each bit of it that is 0 is one more element in common. */
function columnOf(second: Uint32Array, masks: Int32Array, carries: Uint8Array): number {
  let state = -1;
  for (let row = 0; row < second.length; row += 1) {
    const mask = masks[second[row] ?? 0] ?? 0;
    const matching = state & mask;
    const sum = (state >>> 0) + (matching >>> 0) + (carries[row] ?? 0);
    carries[row] = sum > 0xff_ff_ff_ff ? 1 : 0;
    state = sum | (state & ~mask);
  }
  return state;
}

function zerosOf(state: number, count: number): number {
  let zeros = 0;
  for (let bit = 0; bit < count; bit += 1) if ((state & (1 << bit)) === 0) zeros += 1;
  return zeros;
}
