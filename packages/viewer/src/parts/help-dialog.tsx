import { commandsOf } from "../state/key-commands.js";
import type { ReportStore } from "../state/report-store.js";
import { Dialog } from "./dialog.js";

/** What the keys do, and whether they do it. */
export function HelpDialog({ store }: { store: ReportStore }) {
  const { settings, index } = store;
  return (
    <Dialog title="Help" onClose={() => (store.dialog.value = null)}>
      <dl class="keys">
        {commandsOf(store).map(({ keys, shown, does }) => (
          <div key={does}>
            <dt>
              {(shown === undefined ? keys : [shown]).map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={settings.hasKeys.value}
          onChange={(event) => (settings.hasKeys.value = event.currentTarget.checked)}
        />
        <span>Use these keys. Arrows, Page Up and Page Down work in lists either way</span>
      </label>
      <dl class="legend">
        <div>
          <dt class="passed">✓ passed</dt>
          <dd>The agent did what the test asks for in enough trials.</dd>
        </div>
        <div>
          <dt class="failed">✗ failed</dt>
          <dd>The agent did the wrong thing.</dd>
        </div>
        <div>
          <dt class="errored">! errored</dt>
          <dd>There is no verdict about the agent: a provider, the network or the test failed.</dd>
        </div>
        <div>
          <dt class="skipped">– skipped</dt>
          <dd>The case was not run.</dd>
        </div>
        <div>
          <dt class="flaky">~ flaky</dt>
          <dd>The case passed, but not in every trial.</dd>
        </div>
      </dl>
      <p class="meta">
        The address of this page keeps all that is selected, so you can share it
        {store.extras === null ? "" : " with the file. Nothing is sent anywhere"}. Made by KindLM {index.head.kindlm},
        run {index.head.runId}.
      </p>
    </Dialog>
  );
}
