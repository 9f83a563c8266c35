/** The total of a cart, in cents: the price of each item, times its quantity. */
export function total(items) {
  return items.reduce((sum, { cents }) => sum + cents, 0);
}

/** Cents as people read them, such as $12.50. */
export function format(cents) {
  return `$${(cents / 100).toFixed(2)}`;
}
