import { expect, it } from "vitest";
import { plainName } from "./plain-name.js";

it.each([
  "pay",
  " pay\n",
  "functions.pay",
  "tool.tools.pay",
  "default_api:pay",
  "p\u200Bay",
  "\uFEFFpay",
  "ｐay",
  "pay\u00A0",
])("takes %j for pay", (name) => {
  expect(plainName(name)).toBe("pay");
});

it.each(["pay_functions", "my.pay", "payments", "tools"])("leaves %s as it is", (name) => {
  expect(plainName(name)).toBe(name);
});
