import { unicodePattern } from "../../values/unicode-pattern.js";

const lookalikes = new Map(
  Object.entries({
    АΑ: "A",
    ВΒ: "B",
    С: "C",
    ЕΕ: "E",
    НΗ: "H",
    ІΙ: "I",
    Ј: "J",
    КΚ: "K",
    МΜ: "M",
    Ν: "N",
    ОΟ: "O",
    РΡ: "P",
    Ѕ: "S",
    ТΤ: "T",
    ХΧ: "X",
    УΥ: "Y",
    Ζ: "Z",
    а: "a",
    с: "c",
    ԁ: "d",
    е: "e",
    һ: "h",
    і: "i",
    ј: "j",
    оο: "o",
    р: "p",
    ԛ: "q",
    ѕ: "s",
    ѵ: "v",
    ԝ: "w",
    х: "x",
    у: "y",
  }).flatMap(([letters, latin]) => letters.split("").map((letter): [string, string] => [letter, latin])),
);

const foreign = /[\u0370-\u03ff\u0400-\u052f]/;
const word = unicodePattern(String.raw`[\p{L}\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}]+`, "gu");

/**
 * Writes letters of Greek and Cyrillic that look like Latin ones as those, but only in words that have Latin letters too:
 * no language mixes them within a word, so words of those languages stay as they are. Keeps the length.
 */
export function unifyLookalikes(text: string): string {
  if (!foreign.test(text)) return text;
  return text.replaceAll(word(), (found) =>
    /[a-z]/i.test(found) && foreign.test(found)
      ? found.replaceAll(/[\u0370-\u052f]/g, (letter) => lookalikes.get(letter) ?? letter)
      : found,
  );
}
