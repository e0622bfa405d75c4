/** The type of an event in words: `SERIAL_LINKED` reads "Serial linked". Types are names of the interface and stay English. */
export function eventName(type: string): string {
  const words = type.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
