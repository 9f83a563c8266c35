import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** A dialog that keeps the focus until it is closed, and then gives it back. */
export function Dialog({ title, onClose, children }: { title: string; onClose(): void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-title"
      onClose={onClose}
      onClick={(event) => {
        // A click on what is around the dialog has the dialog itself as its target.
        if (event.target === event.currentTarget) event.currentTarget.close();
      }}
    >
      <div class="dialog">
        <header class="head">
          <h2 id="dialog-title">{title}</h2>
          <button type="button" aria-label="Close" onClick={() => element.current?.close()}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
