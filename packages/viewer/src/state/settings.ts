import { effect, signal } from "@preact/signals";
import { readKept, writeKept, type Keep } from "./storage.js";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const key = "kindlm-report-settings";

/** What a person prefers, in all reports. */
export class Settings {
  readonly theme = signal<Theme>("system");
  /** Whether single keys do anything. */
  readonly hasKeys = signal(true);
  /** Whether what judges said is hidden until the trial is labeled. */
  readonly isBlind = signal(true);

  constructor(storage: Keep) {
    const kept = readKept(storage, key);
    if (typeof kept === "object" && kept !== null) {
      const { theme, hasKeys, isBlind }: { theme?: unknown; hasKeys?: unknown; isBlind?: unknown } = kept;
      this.theme.value = themes.find((one) => one === theme) ?? "system";
      this.hasKeys.value = hasKeys !== false;
      this.isBlind.value = isBlind !== false;
    }
    let isFirst = true;
    effect(() => {
      const text = JSON.stringify({
        theme: this.theme.value,
        hasKeys: this.hasKeys.value,
        isBlind: this.isBlind.value,
      });
      document.documentElement.dataset["theme"] = this.theme.value;
      if (!isFirst) writeKept(storage, key, text);
      isFirst = false;
    });
  }
}
