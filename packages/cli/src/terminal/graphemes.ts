let segmenter: Intl.Segmenter | null = null;

/**
 * Text as the characters that a reader counts. The segmenter is made at its first use: the first one of a process
 * takes as long as a tenth of a short run.
 */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}
