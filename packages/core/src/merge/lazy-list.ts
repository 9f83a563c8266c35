/**
 * A list whose items are made each time when they are read, for more of them than memory has room for. For everybody who
 * reads it, it is an array. `read` gives undefined for no index below `length`.
 */
export function createLazyList<T>(length: number, read: (index: number) => T | undefined): readonly T[] {
  const indexOf = (key: string | symbol): number | null => {
    if (typeof key === "symbol") return null;
    const index = Number(key);
    return Number.isInteger(index) && index >= 0 && index < length && String(index) === key ? index : null;
  };
  return new Proxy<T[]>([], {
    get(target, key, receiver): unknown {
      if (key === "length") return length;
      const index = indexOf(key);
      return index === null ? Reflect.get(target, key, receiver) : read(index);
    },
    has: (target, key) => indexOf(key) !== null || Reflect.has(target, key),
    ownKeys: () => [...Array.from({ length }, (_, index) => String(index)), "length"],
    getOwnPropertyDescriptor(target, key) {
      if (key === "length") return { value: length, writable: true, enumerable: false, configurable: false };
      const index = indexOf(key);
      if (index === null) return Reflect.getOwnPropertyDescriptor(target, key);
      return { value: read(index), writable: false, enumerable: true, configurable: true };
    },
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
  });
}
