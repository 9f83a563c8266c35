/** An integer as people write it, such as `1,234`. `toLocaleString` takes 10 ms for the first one of a process. */
export function groupDigits(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}
