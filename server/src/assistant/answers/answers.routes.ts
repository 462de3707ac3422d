// Operations of questions that are answered by rules, and the services behind them.

import { type Ctx, withReadBudget } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './answers.contract.ts';
import { answerQuestion, listQuestions } from './answers.service.ts';

export function answersRoutes(): Route<Ctx>[] {
  return [
    route(contract.listQuestions, () => listQuestions()),
    route(contract.answerQuestion, (ctx, { params, query }) =>
      withReadBudget(ctx, () => answerQuestion(ctx, params, query)),
    ),
  ];
}
