import type { Workspace } from "../../workspace/workspace.js";
import type { ToolPorts } from "../tool-ports.js";
import { BackgroundCommands } from "./shell/background-commands.js";
import { FilePool } from "./files/file-pool.js";
import { TodoList } from "./todo/todo-list.js";

/** What the tools that work in a workspace share. */
export interface Desk {
  workspace: Workspace;
  pool: FilePool;
  background: BackgroundCommands;
}

/** What the built-in tools of one conversation share. A sub-agent has read no file and has its own todos. */
export class BuiltinSession {
  readonly ports: ToolPorts;
  /** Null if the trial has no workspace. */
  readonly desk: Desk | null;
  readonly todos = new TodoList();

  /** `parent`: that of the agent which delegates. What one of them leaves running, the other can read and end. */
  constructor(ports: ToolPorts, parent: BuiltinSession | null = null) {
    const { workspace } = ports;
    this.ports = ports;
    this.desk =
      workspace === null
        ? null
        : {
            workspace,
            pool: new FilePool(workspace, parent === null ? workspace.seen : workspace.createSeen()),
            background: parent?.desk?.background ?? new BackgroundCommands(workspace),
          };
  }
}
