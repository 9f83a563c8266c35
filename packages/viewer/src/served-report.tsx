import { mountReport } from "./mount-report.js";
import { Announcer, CasesView } from "./parts/cases-view.js";
import { HelpDialog } from "./parts/help-dialog.js";
import { damaged } from "./parse-report.js";
import type { ReportSource } from "./report-data.js";
import type { ReportStore } from "./state/report-store.js";

/**
 * The cases of a run on the page of a results server. Its data comes from the address that the element names: the index at once, the
 * trials of a case when it opens.
 */
class ServedReport implements ReportSource {
  readonly #address: string;
  /** What the server finds the cases by, in the order of the index. */
  #keys: readonly unknown[] = [];

  constructor(address: string) {
    this.#address = address;
  }

  async readIndex(): Promise<string> {
    const text = await read(this.#address);
    const index: unknown = JSON.parse(text);
    if (typeof index === "object" && index !== null && "keys" in index && Array.isArray(index.keys))
      this.#keys = index.keys;
    return text;
  }

  readChunk(number: number): Promise<string> {
    return read(`${this.#address}/${String(this.#keys[number])}`);
  }
}

async function read(address: string): Promise<string> {
  const response = await fetch(address).catch(() => null);
  if (response === null) throw new Error("The server does not answer.");
  if (response.redirected) throw new Error("You are no longer signed in. Reload the page.");
  if (response.status === 429) throw new Error("The server had too many requests. Wait a minute, then try again.");
  if (!response.ok) throw new Error(`The server answered with status ${response.status}.`);
  return response.text().catch(() => {
    throw new Error(damaged);
  });
}

function Report({ store }: { store: ReportStore }) {
  return (
    <>
      <CasesView store={store} />
      {store.dialog.value === "help" ? <HelpDialog store={store} /> : null}
      <Announcer store={store} />
    </>
  );
}

const root = document.getElementById("report");
const address = root?.dataset["source"];
if (root !== null && address !== undefined)
  void mountReport(root, new ServedReport(address), { openExtras: null, Page: Report });
