import { matchesNameGlob } from "../../values/name-glob.js";
import type { BuiltinTool } from "./builtin-tool.js";
import { fsEdit } from "./files/fs-edit.js";
import { fsGlob } from "./files/fs-glob.js";
import { fsGrep } from "./files/fs-grep.js";
import { fsMultiEdit } from "./files/fs-multi-edit.js";
import { fsRead } from "./files/fs-read.js";
import { fsWrite } from "./files/fs-write.js";
import { bashKill, bashLogs, bashRun } from "./shell/bash-tools.js";
import { skillsTool } from "./skills/skills-tool.js";
import { taskRun } from "./task/task-run.js";
import { todoRead, todoWrite } from "./todo/todo-tools.js";

/** Every tool that KindLM brings; a new one joins with a line here. */
const builtinTools: readonly BuiltinTool[] = [
  fsRead,
  fsWrite,
  fsEdit,
  fsMultiEdit,
  fsGlob,
  fsGrep,
  bashRun,
  bashLogs,
  bashKill,
  todoRead,
  todoWrite,
  skillsTool,
  taskRun,
];

export const builtinNames: readonly string[] = builtinTools.map(({ name }) => name);

/** The names that a name or glob stands for; none if it stands for no built-in tool. */
export function builtinsLike(glob: string): readonly string[] {
  return builtinTools
    .filter(({ name, needsName }) => (needsName === true ? name === glob : matchesNameGlob(glob, name)))
    .map(({ name }) => name);
}

/** Undefined for a name that is none of {@link builtinNames}. */
export function findBuiltin(name: string): BuiltinTool | undefined {
  return builtinTools.find((tool) => tool.name === name);
}
