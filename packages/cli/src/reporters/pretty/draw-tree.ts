import { hangWidth } from "../../terminal/text-width.js";

/** A line and what is below it. */
export interface TreeNode {
  text: string;
  children?: readonly TreeNode[];
}

/** The lines of a tree drawn with `├──`, `│` and `└──`, wrapped within the columns; the root is not indented. */
export function drawTree(root: TreeNode, columns: number): string[] {
  return drawNode(root, columns, "", "");
}

function drawNode({ text, children = [] }: TreeNode, columns: number, head: string, indent: string): string[] {
  const below = children.length > 0 && head !== "" ? "│   " : "";
  const [first = "", ...rest] = hangWidth("", text, columns - indent.length);
  return [
    head + first,
    ...rest.map((line) => `${indent}${below}${line}`),
    ...children.flatMap((child, index) => {
      const isLast = index === children.length - 1;
      return drawNode(child, columns, `${indent}${isLast ? "└── " : "├── "}`, `${indent}${isLast ? "    " : "│   "}`);
    }),
  ];
}
