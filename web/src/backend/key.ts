/** A question as one text: name and query, sorted by key. Addresses, answers of reports and the page's cache go by it. */
export function keyOf(name: string, query: object): string {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([k, value]) => `${k}=${encodeURIComponent(String(value))}`);
  return parts.length ? `${name}?${parts.join('&')}` : name;
}
