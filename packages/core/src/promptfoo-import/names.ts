/** Names for parts of the written config, each of them once. */
export class Names {
  readonly #taken = new Set<string>();

  /** The name itself, with what a name may not have replaced, and a number if it is taken. */
  unique(wanted: string): string {
    const plain = wanted
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .replaceAll(/[^\w.]+/g, "-")
      .replaceAll(/^[-.]+|[-.]+$/g, "")
      .toLowerCase()
      .slice(0, 60)
      .replace(/[-.]+$/, "");
    const name = plain === "" ? "unnamed" : plain;
    let found = name;
    for (let count = 2; this.#taken.has(found); count += 1) found = `${name}-${count}`;
    this.#taken.add(found);
    return found;
  }
}
