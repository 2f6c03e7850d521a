package methods;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.common.acl.*;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.quota.ClientQuotaFilterComponent;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/** Methods of Admin about ACLs, tokens, SCRAM credentials and quotas. */
class AdminSecurity {
    static void add(Net<Admin> net) {
        acls(net);
        tokens(net);
        credentials(net);
        quotas(net);
    }

    private static void acls(Net<Admin> net) {
        net.call("createAcls", "defaults", (admin, on) ->
            admin.createAcls(List.of(acl(on))).all());
        net.call("createAcls", "options", (admin, on) ->
            admin.createAcls(List.of(acl(on)), new CreateAclsOptions()).all());
        net.call("describeAcls", "defaults", (admin, on) ->
            admin.describeAcls(AclBindingFilter.ANY).values());
        net.call("describeAcls", "options", (admin, on) ->
            admin.describeAcls(AclBindingFilter.ANY, new DescribeAclsOptions()).values());
        net.call("deleteAcls", "defaults", (admin, on) ->
            admin.deleteAcls(List.of(acl(on).toFilter())).all());
        net.call("deleteAcls", "options", (admin, on) ->
            admin.deleteAcls(List.of(acl(on).toFilter()), new DeleteAclsOptions()).all());
    }

    private static void tokens(Net<Admin> net) {
        byte[] token = "token".getBytes();
        net.call("createDelegationToken", "defaults", (admin, on) ->
            admin.createDelegationToken().delegationToken());
        net.call("createDelegationToken", "options", (admin, on) ->
            admin.createDelegationToken(new CreateDelegationTokenOptions()).delegationToken());
        net.call("renewDelegationToken", "defaults", (admin, on) ->
            admin.renewDelegationToken(token).expiryTimestamp());
        net.call("renewDelegationToken", "options", (admin, on) ->
            admin.renewDelegationToken(token, new RenewDelegationTokenOptions())
                .expiryTimestamp());
        net.call("expireDelegationToken", "defaults", (admin, on) ->
            admin.expireDelegationToken(token).expiryTimestamp());
        net.call("expireDelegationToken", "options", (admin, on) ->
            admin.expireDelegationToken(token, new ExpireDelegationTokenOptions())
                .expiryTimestamp());
        net.call("describeDelegationToken", "defaults", (admin, on) ->
            admin.describeDelegationToken().delegationTokens());
        net.call("describeDelegationToken", "options", (admin, on) ->
            admin.describeDelegationToken(new DescribeDelegationTokenOptions())
                .delegationTokens());
    }

    private static void credentials(Net<Admin> net) {
        net.call("alterUserScramCredentials", "defaults", (admin, on) ->
            admin.alterUserScramCredentials(List.of(credential(on))).all());
        net.call("alterUserScramCredentials", "options", (admin, on) ->
            admin.alterUserScramCredentials(
                List.of(new UserScramCredentialDeletion(
                    on.absent(), ScramMechanism.SCRAM_SHA_512)),
                new AlterUserScramCredentialsOptions()).all());
        net.call("describeUserScramCredentials", "defaults", (admin, on) ->
            on.mine(admin.describeUserScramCredentials().users().get(), name -> name));
        net.call("describeUserScramCredentials", "users", (admin, on) ->
            admin.describeUserScramCredentials(List.of(on.absent())).all());
        net.call("describeUserScramCredentials", "options", (admin, on) ->
            admin.describeUserScramCredentials(
                List.of(on.absent()), new DescribeUserScramCredentialsOptions()).all());
    }

    private static void quotas(Net<Admin> net) {
        net.call("alterClientQuotas", "defaults", (admin, on) ->
            admin.alterClientQuotas(List.of(quota(on, "producer_byte_rate"))).values());
        net.call("alterClientQuotas", "validate_only", (admin, on) ->
            admin.alterClientQuotas(
                List.of(quota(on, "consumer_byte_rate")),
                new AlterClientQuotasOptions().validateOnly(true)).values());
        net.call("alterClientQuotas", "unknown", (admin, on) ->
            admin.alterClientQuotas(List.of(quota(on, "no_rate"))).values());
        net.call("describeClientQuotas", "defaults", (admin, on) -> {
            admin.alterClientQuotas(List.of(quota(on, "producer_byte_rate"))).all().get();
            Stage.eventually(() -> !admin.describeClientQuotas(filter(on)).entities().get()
                .isEmpty());
            return admin.describeClientQuotas(filter(on)).entities();
        });
        net.call("describeClientQuotas", "options", (admin, on) ->
            admin.describeClientQuotas(filter(on), new DescribeClientQuotasOptions())
                .entities());
    }

    private static AclBinding acl(Stage on) throws Exception {
        return new AclBinding(
            new ResourcePattern(ResourceType.TOPIC, on.topic(), PatternType.LITERAL),
            new AccessControlEntry(
                "User:someone", "*", AclOperation.READ, AclPermissionType.ALLOW));
    }

    private static UserScramCredentialUpsertion credential(Stage on) {
        return new UserScramCredentialUpsertion(
            on.named("user"), new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096),
            "secret");
    }

    private static ClientQuotaAlteration quota(Stage on, String key) {
        return new ClientQuotaAlteration(
            new ClientQuotaEntity(Map.of("client-id", on.named("client"))),
            List.of(new ClientQuotaAlteration.Op(key, 4711.0)));
    }

    private static ClientQuotaFilter filter(Stage on) {
        return ClientQuotaFilter.containsOnly(List.of(
            ClientQuotaFilterComponent.ofEntity("client-id", on.named("client"))));
    }
}
