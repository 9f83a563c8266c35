import { useSignal } from "@preact/signals";
import type { ReportStore } from "../state/report-store.js";

/** Copies a text, and says so. */
export function CopyButton({ label, text, store }: { label: string; text: string; store: ReportStore }) {
  const isCopied = useSignal(false);
  const copy = (): void => {
    void copyText(text).then(() => {
      store.announce("Copied");
      isCopied.value = true;
      setTimeout(() => (isCopied.value = false), 1_500);
    });
  };
  return (
    <button type="button" class="copy" title={text.length < 200 ? text : undefined} onClick={copy}>
      {isCopied.value ? "Copied" : label}
    </button>
  );
}

/** Servers without HTTPS and frames of other pages have no clipboard; there a person copies. */
async function copyText(text: string): Promise<void> {
  const isWritten =
    "clipboard" in navigator &&
    (await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    ));
  if (!isWritten) prompt("Copy this text", text);
}
