// Package broker runs a broker of one node in a container, for Testcontainers.
package broker

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	clientsPort = "9092/tcp"
	adminPort   = "9644/tcp"
	networkPort = 19092
	script      = "/tmp/start.sh"

	waitForScript = "until [ -s " + script + " ]; do sleep 0.05; done; exec sh " + script
)

// Broker is a running broker.
type Broker struct {
	testcontainers.Container
	// Bootstrap has the bootstrap servers for clients of the host.
	Bootstrap string
	// NetworkBootstrap has the bootstrap servers for other containers of its network.
	NetworkBootstrap string

	token string
}

// Run starts a broker; alias is its name in the network of its container, and options are options
// of "antechamber serve".
func Run(
	ctx context.Context, alias string, options []string, custom ...testcontainers.ContainerCustomizer,
) (*Broker, error) {
	broker := &Broker{
		NetworkBootstrap: fmt.Sprintf("%s:%d", alias, networkPort),
		token:            rand.Text(),
	}
	start := func(ctx context.Context, container testcontainers.Container) error {
		return broker.start(ctx, container, options)
	}
	custom = append([]testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(clientsPort, adminPort),
		testcontainers.WithEnv(map[string]string{"ANTECHAMBER_ADMIN_TOKEN": broker.token}),
		testcontainers.WithEntrypoint("sh", "-c", waitForScript),
		testcontainers.WithAdditionalLifecycleHooks(testcontainers.ContainerLifecycleHooks{
			PostStarts: []testcontainers.ContainerHook{start},
		}),
	}, custom...)
	container, err := testcontainers.Run(ctx, "antechamber", custom...)
	if container != nil {
		broker.Container = container
	}
	return broker, err
}

// start copies the script that starts the broker, and waits until the broker is ready.
func (b *Broker) start(
	ctx context.Context, container testcontainers.Container, options []string,
) error {
	bootstrap, err := container.PortEndpoint(ctx, clientsPort, "")
	if err != nil {
		return err
	}
	b.Bootstrap = bootstrap
	command := append([]string{
		"exec antechamber serve",
		"--admin-host 0.0.0.0 --admin-protocol http",
		fmt.Sprintf("-c listeners=CLIENTS://:9092,NETWORK://:%d", networkPort),
		fmt.Sprintf("-c advertised.listeners=CLIENTS://%s,NETWORK://%s", bootstrap, b.NetworkBootstrap),
		"-c listener.security.protocol.map=CLIENTS:PLAINTEXT,NETWORK:PLAINTEXT",
		"-c inter.broker.listener.name=NETWORK",
	}, options...)
	content := []byte(strings.Join(command, " "))
	if err := container.CopyToContainer(ctx, content, script, 0o644); err != nil {
		return err
	}
	return wait.ForLog("antechamber is ready: ").WaitUntilReady(ctx, container)
}

// WaitParked waits until a request of this API for the topic waits in the broker.
func (b *Broker) WaitParked(ctx context.Context, api, topic string) error {
	path := fmt.Sprintf("/v1/wait?for=parked&timeout_ms=60000&api=%s&topic=%s", api, topic)
	_, err := b.Admin(ctx, http.MethodGet, path)
	return err
}

// Admin returns the response of the admin interface; docs/reference/admin.md has its paths.
func (b *Broker) Admin(ctx context.Context, method, path string) ([]byte, error) {
	url, err := b.PortEndpoint(ctx, adminPort, "http")
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, url+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+b.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, body)
	}
	return body, err
}
