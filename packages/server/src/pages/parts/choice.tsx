import type { PageCall } from "../page.js";

interface ChoiceProps {
  label: string;
  /** Ends in `[]` if several belong together. */
  name: string;
  value: string;
  call: Pick<PageCall, "sent">;
  /** Before anything was sent. */
  isChosen?: boolean;
  hint?: string;
}

/** A checkbox with its label. */
export function Choice({ label, name, value, call, isChosen = false, hint }: ChoiceProps) {
  const wasSent = Object.keys(call.sent).length > 0;
  const isOn = wasSent ? [call.sent[name] ?? []].flat().includes(value) : isChosen;
  return (
    <label class="check">
      <input type="checkbox" name={name} value={value} checked={isOn} />
      <span>
        {label}
        {hint === undefined ? null : <span class="meta">{` ${hint}`}</span>}
      </span>
    </label>
  );
}

interface SelectProps {
  name: string;
  label: string;
  options: readonly string[];
  value: string;
  /** If another part of the page has one of the same name. */
  id?: string;
  /** True if what stands around it says what it is. */
  isLabelHidden?: boolean;
}

export function Select({ name, label, options, value, id = name, isLabelHidden = false }: SelectProps) {
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? "sr" : undefined}>
        {label}
      </label>
      <select id={id} name={name}>
        {options.map((option) => (
          <option value={option} selected={option === value}>
            {option}
          </option>
        ))}
      </select>
    </div>
  );
}
