/** The mark where a string was cut, everywhere in KindLM. */
const cutMark = "…";
/** Less of a secret than this tells nothing, and ordinary words begin like that. */
const shortestPiece = 6;

/**
 * Masks what is left of a secret that was cut with its text: its beginning before a cut mark, its end after one. Works
 * on one string after the other; the pieces are only listed once a string has a mark.
 */
export function createCutMasker(forms: ReadonlySet<string>, mask: string): (text: string) => string {
  let pieces: { starts: ReadonlySet<string>; ends: ReadonlySet<string>; longest: number } | null = null;
  return (text) => {
    if (!text.includes(cutMark)) return text;
    pieces ??= listPieces(forms);
    const parts = text.split(cutMark);
    return parts.map((part, index) => maskPart(part, index > 0, index < parts.length - 1)).join(cutMark);
  };

  function maskPart(part: string, followsMark: boolean, precedesMark: boolean): string {
    const { starts, ends, longest } = pieces ?? listPieces(forms);
    let kept = part;
    if (precedesMark) {
      const length = longestOf(kept.length, longest, (size) => starts.has(kept.slice(-size)));
      if (length > 0) kept = kept.slice(0, -length) + mask;
    }
    if (followsMark) {
      const length = longestOf(kept.length, longest, (size) => ends.has(kept.slice(0, size)));
      if (length > 0) kept = mask + kept.slice(length);
    }
    return kept;
  }
}

function longestOf(available: number, longest: number, isPiece: (size: number) => boolean): number {
  for (let size = Math.min(available, longest); size >= shortestPiece; size -= 1) if (isPiece(size)) return size;
  return 0;
}

function listPieces(forms: ReadonlySet<string>): {
  starts: ReadonlySet<string>;
  ends: ReadonlySet<string>;
  longest: number;
} {
  const starts = new Set<string>();
  const ends = new Set<string>();
  let longest = 0;
  for (const form of forms) {
    longest = Math.max(longest, form.length - 1);
    for (let size = shortestPiece; size < form.length; size += 1) {
      starts.add(form.slice(0, size));
      ends.add(form.slice(-size));
    }
  }
  return { starts, ends, longest };
}
