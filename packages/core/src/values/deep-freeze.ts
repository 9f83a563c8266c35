/** Freezes data with everything in it. Works for data of any depth, and for data that contains itself. */
export function deepFreeze<T>(value: T): T {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one !== "object" || one === null || Object.isFrozen(one)) continue;
    Object.freeze(one);
    for (const item of Object.values(one)) left.push(item);
  }
  return value;
}
