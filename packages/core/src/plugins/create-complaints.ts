import { plural } from "../values/plural.js";
import type { FindingText } from "../config/source/finding.js";
import type { RunEventBody } from "../engine/run-event.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { HookName } from "./hook-name.js";
import type { ConfiguredPlugin } from "./load-plugins.js";

/** Failures of a hook after which it is called no more in this run. */
const mostFailures = 3;

/** Keeps what went wrong with the hooks of one plugin, and says it once per hook. */
export interface Complaints {
  /** True once the hook is to be called no more. */
  isOff(hook: HookName): boolean;
  /** `isLast`: the hook is disabled immediately. */
  add(hook: HookName, what: string, isLast: boolean): void;
  /** Observations that the end of the run came too early for. */
  dropped(count: number): void;
  /** One for each hook that failed. */
  warnings(): readonly Diagnostic[];
}

interface Complaint {
  text: string;
  times: number;
  isOff: boolean;
}

export function createComplaints({ plugin, entry }: ConfiguredPlugin, emit: (event: RunEventBody) => void): Complaints {
  const byHook = new Map<HookName, Complaint>();
  const others: string[] = [];
  const tell = (message: string, hook: HookName | null): void =>
    emit({
      channel: "monitor",
      type: "error",
      severity: "warn",
      phase: "system",
      message: `Plugin "${plugin.name}": ${message}`,
      detail: hook === null ? { plugin: plugin.name } : { plugin: plugin.name, hook },
    });

  return {
    isOff: (hook) => byHook.get(hook)?.isOff ?? false,
    add(hook, what, isLast) {
      const known = byHook.get(hook);
      const complaint = known ?? { text: `${hook} ${what}`, times: 0, isOff: false };
      byHook.set(hook, complaint);
      complaint.times += 1;
      const wasOff = complaint.isOff;
      complaint.isOff ||= isLast || complaint.times >= mostFailures;
      if (complaint.isOff && !wasOff) tell(`${hook} ${what}; it is disabled for the rest of the run`, hook);
      else if (known === undefined) tell(complaint.text, hook);
    },
    dropped(count) {
      const message = `${plural(count, "call")} of its observers did not finish before the run ended`;
      others.push(message);
      tell(message, null);
    },
    warnings: () =>
      [
        ...[...byHook].map(([hook, complaint]) => ({ message: describe(complaint), hint: hints(hook) })),
        ...others.map((message) => ({ message, hint: "Collect in observers, and send at the end in runEnded" })),
      ].map(({ message, hint }) => warningOf({ message: `Plugin "${plugin.name}": ${message}`, hint })),
  };

  function warningOf(text: FindingText): Diagnostic {
    return entry.findingOf({ ...text, code: "UNKNOWN_ERROR", severity: "warning" }).diagnostic;
  }
}

function describe({ text, times, isOff }: Complaint): string {
  const often = times > 1 ? ` (${times} times)` : "";
  return `${text}${often}${isOff ? "; it was disabled for the rest of the run" : ""}`;
}

function hints(hook: HookName): string {
  if (hook === "preToolUse") return "Calls continued without the plugin, including calls it would have denied";
  if (hook === "postToolUse") return "The calls kept the outcome of their tool";
  return "The verdicts are those of a run without it";
}
