// Gives the reader a file.

/** "transactions-2026-11-20T1000Z.csv" */
export function fileName(title: string, { from }: { from: number }, ending: string): string {
  const words = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const moment = new Date(from).toISOString().slice(0, 16).replace(':', '');
  return `${words}-${moment}Z.${ending}`;
}

export function download(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads it after this task.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
