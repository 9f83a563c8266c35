/** Groups of files that import each other, directly or around: the strongly connected components of more than one. */
export function findCircles(imports) {
  const indexes = new Map();
  const lows = new Map();
  const stack = [];
  const onStack = new Set();
  const circles = [];

  const enter = (name) => {
    indexes.set(name, indexes.size);
    lows.set(name, indexes.get(name));
    stack.push(name);
    onStack.add(name);
    for (const next of imports.get(name) ?? []) {
      if (!indexes.has(next)) {
        enter(next);
        lows.set(name, Math.min(lows.get(name), lows.get(next)));
      } else if (onStack.has(next)) lows.set(name, Math.min(lows.get(name), indexes.get(next)));
    }
    if (lows.get(name) !== indexes.get(name)) return;
    const members = stack.splice(stack.indexOf(name));
    for (const member of members) onStack.delete(member);
    if (members.length > 1) circles.push(members);
  };

  for (const name of imports.keys()) if (!indexes.has(name)) enter(name);
  return circles;
}
