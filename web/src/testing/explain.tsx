// Stands in for the chat around a page: notes the questions that its parts ask.
import type { ReactNode } from 'react';
import { type AboutQuestion, AskAboutContext } from '../ui/ask-about.ts';

export class ExplainCalls {
  readonly questions: AboutQuestion[] = [];
  readonly around = (page: ReactNode) => (
    <AskAboutContext value={(question) => this.questions.push(question)}>{page}</AskAboutContext>
  );
}
