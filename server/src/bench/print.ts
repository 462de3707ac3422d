// What benches print: one line at a time, to standard output.
export const print = (line: string) => process.stdout.write(`${line}\n`);
