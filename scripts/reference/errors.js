import { inCode, renderPage, renderTable } from "./markdown.js";

const retriedWords = { yes: "yes", no: "no", "by-status": "by status", "not-applicable": "–" };
const groups = {
  1: "Config",
  2: "Providers",
  3: "Assertions",
  4: "Running",
  5: "Baselines",
  6: "Results server",
  7: "Files",
  9: "Other",
};

/** docs/reference/errors.md from the one declaration of the codes. */
export function renderErrors(errorTable) {
  const byGroup = groupEntries(Object.entries(errorTable));
  return renderPage("Errors", [
    "Every error has a code and a number. `kindlm explain <CODE>` shows an example and what to do.",
    "**Retried**: whether the same call is made again. **Fault**: errors of the agent count as not passed; all others leave the pass rate.",
    ...[...byGroup].flatMap(([group, entries]) => [
      `## ${group}`,
      renderTable(
        ["code", "number", "when", "retried", "fault"],
        entries.map(([code, { number, when, retried, attribution }]) => [
          inCode(code),
          number,
          when,
          retriedWords[retried],
          attribution === "agent" ? "the agent's" : "–",
        ]),
      ),
    ]),
  ]);
}

const groupOf = ([, { number }]) => groups[Math.floor(number / 100)] ?? "Other";

function groupEntries(entries) {
  const byGroup = new Map();
  for (const entry of entries) byGroup.set(groupOf(entry), [...(byGroup.get(groupOf(entry)) ?? []), entry]);
  return byGroup;
}
