/** Where the page keeps what a person did in it. Null where the browser keeps nothing for pages such as this. */
export type Keep = Pick<Storage, "getItem" | "setItem"> | null;

/** The storage of the browser. Pages in a sandbox have none, and even to ask for it is an error there. */
export function openStorage(): Keep {
  try {
    const probe = "kindlm-probe";
    localStorage.setItem(probe, "");
    localStorage.removeItem(probe);
    return localStorage;
  } catch {
    return null;
  }
}

export function readKept(keep: Keep, key: string): unknown {
  try {
    return JSON.parse(keep?.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** False if it could not be kept, for example because the storage is full. */
export function writeKept(keep: Keep, key: string, text: string): boolean {
  try {
    keep?.setItem(key, text);
    return keep !== null;
  } catch {
    return false;
  }
}
