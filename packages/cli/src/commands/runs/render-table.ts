/** A column of a table of runs. */
export interface Column<Row> {
  title: string;
  isNumber: boolean;
  cell(row: Row): string;
}

const widest = 80;
const gap = "  ";

/**
 * A line of titles and one for each row; at least one. Columns in which nothing stands are left out, and the last if need
 * be.
 */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  const cells = columns.map((column) => ({ ...column, texts: rows.map(column.cell) }));
  const shown = cells.filter(({ texts }) => texts.some((text) => text !== ""));
  const widths = shown.map(({ title, texts }) =>
    texts.reduce((most, { length }) => Math.max(most, length), title.length),
  );
  const isTooWide = (): boolean => widths.reduce((sum, width) => sum + width + gap.length, -gap.length) > widest;
  while (shown.length > 3 && isTooWide()) {
    shown.pop();
    widths.pop();
  }
  const line = (textOf: (column: (typeof shown)[number]) => string): string =>
    shown
      .map((column, index) => {
        const width = widths[index] ?? 0;
        return column.isNumber ? textOf(column).padStart(width) : textOf(column).padEnd(width);
      })
      .join(gap)
      .trimEnd();
  return [line(({ title }) => title), ...rows.map((_, row) => line(({ texts }) => texts[row] ?? ""))];
}
