/** Gives for each text the first one that was equal to it, so that very many cases share one copy. */
export function createNameKeeper(): (name: string) => string {
  const kept = new Map<string, string>();
  return (name) => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    kept.set(name, name);
    return name;
  };
}
