import type { FastifyPluginAsync } from 'fastify'
import { requireAdmin, requireLabs } from '../../plugins/auth.ts'
import * as deploymentSchemas from '../../schemas/operators/deployments.ts'
import * as operatorsSchemas from '../../schemas/operators/operators.ts'
import type { Domain } from '../domain.ts'
import banWallet from './ban-wallet.ts'
import { deploymentReasons } from './check-deployment.ts'
import featureRaise from './feature-raise.ts'
import featureToken from './feature-token.ts'
import hideComment from './hide-comment.ts'
import hideToken from './hide-token.ts'
import listActions from './list-actions.ts'
import listBans from './list-bans.ts'
import manageDeployments from './manage-deployments.ts'
import reviewApplications from './review-applications.ts'
import reviewReports from './review-reports.ts'

/** Actions of operators and labs members, authorized by wallet list and recorded in the audit log. */
const operators: FastifyPluginAsync = async (app) => {
  app.register(
    async (scope) => {
      scope.addHook('onRequest', requireAdmin)
      scope.register(hideToken)
      scope.register(hideComment)
      scope.register(banWallet)
      scope.register(listBans)
      scope.register(reviewReports)
      scope.register(reviewApplications)
      scope.register(manageDeployments)
      scope.register(listActions)
    },
    { prefix: '/admin' },
  )

  app.register(
    async (scope) => {
      scope.addHook('onRequest', requireLabs)
      scope.register(featureToken)
      scope.register(featureRaise)
    },
    { prefix: '/labs' },
  )
}

export default {
  plugin: operators,
  tags: [
    { name: 'Operators', description: 'Moderation and review, for wallets on the operators’ list.' },
    { name: 'Labs', description: 'Curation, for wallets on the labs list.' },
  ],
  schemas: [...operatorsSchemas.components, ...deploymentSchemas.components],
  reasons: deploymentReasons,
} satisfies Domain
