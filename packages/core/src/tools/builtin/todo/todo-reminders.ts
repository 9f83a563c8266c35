import type { Todo, TodoList } from "./todo-list.js";

/** `todos:` of a test. */
export interface TodoSettings {
  /** Turns with tool calls after which open todos are repeated, if the list has not changed since. */
  remindAfter: number;
}

/** What an agent receives with the last result of a turn. */
export interface TodoReminder {
  text: string;
  /** `interval`: the list has not changed for long. `empty`: the agent has just emptied it. */
  reason: "interval" | "empty";
  /** Those that are not completed. */
  todos: readonly Todo[];
}

/** Todos that one reminder lists. */
const mostListed = 10;

/** Reminds one agent of its todos. What it says depends on nothing but the turns and the list. */
export class TodoReminders {
  readonly #list: TodoList;
  readonly #after: number;
  #known: readonly Todo[];
  /** Turns since the last change or reminder. */
  #turns = 0;

  constructor(list: TodoList, { remindAfter }: TodoSettings) {
    this.#list = list;
    this.#after = remindAfter;
    this.#known = list.read();
  }

  /** To be called after the calls of each turn; null if there is nothing to say. */
  next(): TodoReminder | null {
    const todos = this.#list.read();
    if (todos !== this.#known) {
      this.#known = todos;
      this.#turns = 0;
      return todos.length === 0 ? { reason: "empty", todos, text: wrap(emptyText) } : null;
    }
    this.#turns += 1;
    const open = todos.filter(({ status }) => status !== "completed");
    if (open.length === 0 || this.#turns < this.#after) return null;
    this.#turns = 0;
    return { reason: "interval", todos: open, text: wrap(listText(open)) };
  }
}

const emptyText = "Your todo list is empty. Write a new one with todo_write if there is more to do.";

function listText(open: readonly Todo[]): string {
  const lines = open.slice(0, mostListed).map(({ title, status }, index) => `${index + 1}. [${status}] ${title}`);
  const more = open.length > mostListed ? [`… ${open.length - mostListed} more`] : [];
  return [
    "These todos are not completed:",
    ...lines,
    ...more,
    "Keep the list up to date with todo_write while you work.",
  ].join("\n");
}

function wrap(text: string): string {
  return `<system-reminder>\n${text}\nDo not answer this reminder, and do not mention it to the user.\n</system-reminder>`;
}
