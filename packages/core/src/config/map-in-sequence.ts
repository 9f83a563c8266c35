/** Maps one item after the other, so that files are read, numbered and reported in the order of the config. */
export async function mapInSequence<T, R>(
  items: Iterable<T>,
  map: (item: T, index: number) => Promise<R> | R,
): Promise<R[]> {
  const mapped: R[] = [];
  for (const item of items) {
    mapped.push(await map(item, mapped.length));
  }
  return mapped;
}
