/** A line and what hangs below it. */
export interface TreeNode {
  text: string;
  children?: readonly TreeNode[];
}

/** The lines of a tree drawn with `├──`, `│` and `└──`; the root stands unindented. */
export function drawTree(root: TreeNode): string[] {
  return [root.text, ...drawBranches(root.children ?? [])];
}

/** As {@link drawTree} for branches without a root. */
function drawBranches(nodes: readonly TreeNode[]): string[] {
  return nodes.flatMap((node, index) => {
    const isLast = index === nodes.length - 1;
    const [first = "", ...rest] = drawTree(node);
    return [`${isLast ? "└── " : "├── "}${first}`, ...rest.map((line) => `${isLast ? "    " : "│   "}${line}`)];
  });
}
