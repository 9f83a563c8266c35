import { failure, success, type Result } from "../../../result.js";

export const todoStatuses = ["pending", "in_progress", "completed"] as const;

export interface Todo {
  id: string;
  title: string;
  status: (typeof todoStatuses)[number];
  notes?: string;
}

/** The todos of an agent in one trial. */
export class TodoList {
  #todos: readonly Todo[] = [];

  read(): readonly Todo[] {
    return this.#todos;
  }

  /** Replaces the list. Fails, and changes nothing, if two todos have one ID or two are in progress. */
  write(todos: readonly Todo[]): Result<void, string> {
    const ids = new Set<string>();
    for (const { id, title } of todos) {
      if (id.trim() === "") return failure("A todo needs an ID");
      if (title.trim() === "") return failure(`Todo "${id}" needs a title`);
      if (ids.has(id)) return failure(`Two todos have the ID "${id}"`);
      ids.add(id);
    }
    const active = todos.filter(({ status }) => status === "in_progress");
    if (active.length > 1) {
      return failure(
        `Only one todo can be in progress, not ${active.length}: ${active.map(({ id }) => id).join(", ")}`,
      );
    }
    this.#todos = todos;
    return success(undefined);
  }
}
