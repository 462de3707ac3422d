// The program as `npm start` runs it, for tests that start it as a process: built, since of its sources it takes three times as long to
// begin. That those start too is tested by themselves (app/app.test.ts).
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The file to run, as the global set-up found or built it. */
    program: string;
  }
}

export const script: string = inject('program');
